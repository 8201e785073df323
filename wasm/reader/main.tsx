import { render } from "preact";

import { App } from "./app";
import { restWhenHidden } from "./engine";
import { keepEngine, worksOffline } from "./offline";
import { sweepLeftovers } from "./host/leftovers";
import { takeOpenParameter } from "./route";
import { locale } from "./say";
import "./style.css";

document.documentElement.lang = locale === "zh" ? "zh-Hans" : "en";
takeOpenParameter();
restWhenHidden();
worksOffline();
void keepEngine();
await sweepLeftovers().catch(() => undefined); // a browser without storage tells so when it is asked to install
const root = document.getElementById("app");
if (root) render(<App />, root);
