import { parentPort } from "node:worker_threads";
import { KINDS } from "../kinds/table.ts";
import { readText, type TextAsked } from "./read-text.ts";

/** Reads the documents it is sent, one after the other. See read-aside.ts. */
parentPort?.on("message", (asked: TextAsked) => parentPort?.postMessage(readText(asked, KINDS)));
