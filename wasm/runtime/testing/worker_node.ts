// The worker under Node: the same code beside the engine's files, and Python for whoever tests it.

import { parentPort, workerData } from "node:worker_threads";
import { serve } from "../worker/serve";
import { type Heard, Laboratory } from "./laboratory";

const port = parentPort;
if (!port) throw new Error("expected to be a worker");
const laboratory = new Laboratory((message) => port.postMessage(message));
serve(
  {
    post: (message, transfer = []) => port.postMessage(message, transfer),
    listen: (handler) => port.on("message", (message: Heard) => laboratory.hear(message) || handler(message as never)),
  },
  { folder: (workerData as { folder: string }).folder, opened: (python) => laboratory.open(python) },
);
