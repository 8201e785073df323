import { render } from "preact";

import { App } from "./app";
import { restWhenHidden } from "./engine";
import { keepEngine, worksOffline } from "./offline";
import { takeOpenParameter } from "./route";
import { locale } from "./say";
import "./style.css";

document.documentElement.lang = locale === "zh" ? "zh-Hans" : "en";
takeOpenParameter();
restWhenHidden();
worksOffline();
void keepEngine();
const root = document.getElementById("app");
if (root) render(<App />, root);
