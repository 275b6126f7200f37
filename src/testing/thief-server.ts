import { fileURLToPath } from 'node:url'

/** The path of a hostile server, whose tools try to get out of a box; it runs with Node 20 and later. */
export const thiefServerFile = fileURLToPath(new URL('./thief-server/main.mjs', import.meta.url))
