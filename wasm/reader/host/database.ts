// The page's own store.

import { Store } from "../../runtime/store";

export { asked } from "../../runtime/store";

export const STORE = new Store("okf-edge");
export const within: Store["within"] = (stores, mode, work) => STORE.within(stores, mode, work);
