import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const file = fileURLToPath(new URL('../dist/cli/chunk-modules.json', import.meta.url))
const chunks = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, readonly string[]>>

/**
 * A module that joins the start chunk makes every command slower, and one that leaves it costs a file more. After a wanted
 * change: `npx vitest run test/chunks.test.ts -u`.
 */
test.each(['start', 'host', 'connecting', 'serve'])(
  'build: the modules in the %s chunk of the command line',
  async (chunk) => {
    await expect(`${chunks[chunk]?.join('\n')}\n`).toMatchFileSnapshot(`fixtures/chunks/${chunk}.txt`)
  },
)

const textOf = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../dist/${path}`, import.meta.url)), 'utf8')

test('build: the page is served without the code of the host and of the API', () => {
  const atOnce = [...textOf('cli/chunks/serve.cjs').matchAll(/(?<!=>)require\("\.\/([\w-]+)\.cjs"\)/g)]
  expect(new Set(atOnce.map(([, name]) => name))).toEqual(
    new Set(['agent-environment', 'rolldown-runtime', 'start']),
  )
})

test.each(['plugboard', 'chunks/start', 'chunks/host', 'chunks/connecting'])(
  'build: %s of the command line leads to no package of models',
  (chunk) => {
    expect(textOf(`cli/${chunk}.cjs`).match(/["'`]\.[\w./]*\/(?:ai|prices)[\w-]*\.cjs["'`]/g)).toBe(null)
  },
)

test.each(['cli/THIRD-PARTY.md', 'THIRD-PARTY.md'])(
  'build: %s has the licenses of the packages of models',
  (file) => {
    const named = [...textOf(file).matchAll(/^## (\S+) \S+ \((\S+)\)$/gm)].map(
      ([, name, license]) => `${name} ${license}`,
    )
    expect(named).toEqual(
      expect.arrayContaining([
        '@ai-sdk/anthropic Apache-2.0',
        '@ai-sdk/google Apache-2.0',
        '@ai-sdk/openai Apache-2.0',
        '@ai-sdk/openai-compatible Apache-2.0',
        '@ai-sdk/provider-utils Apache-2.0',
        '@pydantic/genai-prices MIT',
        'ai Apache-2.0',
        'tokenx MIT',
      ]),
    )
    expect(textOf(file)).not.toContain('No license text is part of the package.')
  },
)
