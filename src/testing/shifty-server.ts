import { fileURLToPath } from 'node:url'

/**
 * The path of a server that changes what it offers: between runs, between lists, between pages, or by a notification; it
 * runs with Node 20 and later. `--plan FILE` is JSON: `{ "by": "run" | "list" | "call", "steps": [{ "tools": […] }] }`.
 * Without a plan its tool `price` is replaced by a poisoned one with the second run. `--log FILE` gets the calls.
 */
export const shiftyServerFile = fileURLToPath(new URL('./shifty-server/main.mjs', import.meta.url))
