// The worker of a browser: a module worker, made from local bytes.

import type { ToWorker } from "../messages";
import { serve } from "./serve";

serve({
  post: (message, transfer = []) => self.postMessage(message, { transfer }),
  listen: (handler) => {
    self.onmessage = (event: MessageEvent<ToWorker>) => handler(event.data);
  },
});
