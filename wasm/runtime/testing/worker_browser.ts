// The worker of a browser, and Python for whoever tests it.

import { serve } from "../worker/serve";
import { type Heard, Laboratory } from "./laboratory";

const laboratory = new Laboratory((message) => self.postMessage(message));
serve(
  {
    post: (message, transfer = []) => self.postMessage(message, { transfer }),
    listen: (handler) => {
      self.onmessage = ({ data }: MessageEvent<Heard>) => laboratory.hear(data) || handler(data as never);
    },
  },
  { opened: (python) => laboratory.open(python) },
);
