import { parentPort } from "node:worker_threads";
import { readText, type TextAsked } from "./intake/read-text.ts";
import { KINDS } from "./kinds/table.ts";

/** Reads the documents it is sent, one after the other. See read-aside.ts. */
parentPort?.on("message", (asked: TextAsked) => parentPort?.postMessage(readText(asked, KINDS)));
