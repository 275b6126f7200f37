import { fileURLToPath } from 'node:url'

/**
 * The path of small servers that each show one attack on a model: run it with `shop`, `mail`, `helper`, `weather`, `web` or
 * `notes` and Node 20 or later. The guide to security uses them.
 */
export const hostileServerFile = fileURLToPath(new URL('./hostile-server/main.mjs', import.meta.url))
