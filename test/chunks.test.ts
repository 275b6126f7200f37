import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const file = fileURLToPath(new URL('../dist/cli/chunk-modules.json', import.meta.url))
const chunks = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, readonly string[]>>

/**
 * A module that joins the start chunk makes every command slower, and one that leaves it costs a file more. After a wanted
 * change: `npx vitest run test/chunks.test.ts -u`.
 */
test.each(['start', 'host', 'connecting'])(
  'build: the modules in the %s chunk of the command line',
  async (chunk) => {
    await expect(`${chunks[chunk]?.join('\n')}\n`).toMatchFileSnapshot(`fixtures/chunks/${chunk}.txt`)
  },
)
