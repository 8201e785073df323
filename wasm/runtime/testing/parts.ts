// Parts of the worker by themselves, for suites that run in Node on one thread.

export { Database } from "../worker/database";
