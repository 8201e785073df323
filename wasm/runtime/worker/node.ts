// The worker under Node, for tests: the same code, beside the engine's files.

import { parentPort, workerData } from "node:worker_threads";
import type { ToWorker } from "../messages";
import { serve } from "./serve";

serve(
  {
    post: (message, transfer = []) => parentPort?.postMessage(message, transfer),
    listen: (handler) => parentPort?.on("message", (message: ToWorker) => handler(message)),
  },
  (workerData as { folder: string }).folder,
);
