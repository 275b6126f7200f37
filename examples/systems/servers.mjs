import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = (name) => fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url))

/** Two real servers from the npm registry, the same for every system. */
export const servers = {
  everything: { command: program('mcp-server-everything'), args: ['stdio'] },
  memory: { command: program('mcp-server-memory'), args: [] },
}

/** The calls made through each system: a text, an image, and a call that fails. */
export const calls = [
  { tool: 'everything/echo', args: { message: 'hello' } },
  { tool: 'everything/get-tiny-image', args: {} },
  { tool: 'memory/open_nodes', args: { names: 'not a list' } },
]

/** Runs `work` in a temporary folder with one file in it. */
export async function inFolder(file, content, work) {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-systems-'))
  const memory = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }
  const declared = { ...servers, memory: { ...servers.memory, env: memory } }
  try {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), JSON.stringify(content(declared)))
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Whether the file was run directly, not imported. */
export const isRun = (url) => process.argv[1] === fileURLToPath(url)
