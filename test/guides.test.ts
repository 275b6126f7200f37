import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'jsonc-parser'
import type { ParseError } from 'jsonc-parser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultyServer } from '../src/testing.ts'
import { startModel } from './adapters/model-server.ts'
import { startAuthorizationServer } from './support/authorization-server.ts'
import { installBrowser } from './support/browser-program.ts'
import { startModelServer } from './support/model-server.ts'
import { runProgram } from './support/programs/program.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const guides = readdirSync(join(root, 'docs/guide')).map((name) => join(root, 'docs/guide', name))

interface Snippet {
  /** The guide and the number of the snippet in it, such as `embedding.1`. */
  readonly id: string
  readonly text: string
}

/** The code blocks of a language in a guide. */
function blocksOf(guide: string, language: string): readonly Snippet[] {
  const text = readFileSync(guide, 'utf8')
  const found = [...text.matchAll(/^```(\S*)\n(.*?)^```$/gms)].filter(([, name]) => name === language)
  return found.map(([, , code = ''], index) => ({ id: `${basename(guide, '.md')}.${index + 1}`, text: code }))
}

const snippets = guides.flatMap((guide) => blocksOf(guide, 'ts'))

/**
 * The program of a snippet: test/guides/ID.ts has what the guide takes for granted, and the snippet stands in place of
 * `//- snippet`. Without such a file the snippet is the whole program. `//- ID` is the place of another snippet.
 */
function programOf({ id, text }: Snippet): string {
  const frame = join(root, `test/guides/${id}.ts`)
  if (!existsSync(frame)) return text
  return readFileSync(frame, 'utf8').replace(/^\/\/- (\S+)$/gm, (_, name: string) =>
    name === 'snippet' ? text : snippets.find((each) => each.id === name)!.text,
  )
}

// Inside the package, so that `plugboard` is what package.json exports.
const folder = mkdtempSync(join(root, '.snippets-'))
const home = mkdtempSync(join(tmpdir(), 'plugboard-guides-'))
afterAll(() => {
  for (const each of [folder, home]) rmSync(each, { recursive: true, force: true, maxRetries: 5 })
})

describe('guides: TypeScript', () => {
  let problems = ''
  beforeAll(async () => {
    for (const each of snippets)
      writeFileSync(join(folder, `${each.id}.ts`), `${programOf(each)}\nexport {}\n`)
    const compilerOptions = {
      noEmit: false,
      outDir: 'out',
      rootDir: '.',
      allowImportingTsExtensions: false,
      // What a guide shows need not be used.
      noUnusedLocals: false,
      noUnusedParameters: false,
    }
    const config = { extends: '../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    problems = (await runProgram(process.execPath, [compiler, '-p', folder], { cwd: folder })).stdout
  })

  test('every snippet compiles against the built package', () => {
    expect(problems).toBe('')
  })

  test.each(snippets.map(({ id }) => id))('%s runs and ends by itself', async (id) => {
    const project = join(home, id)
    mkdirSync(project, { recursive: true })
    const env = await prepareWorld(id)
    await using streaming = await startModelServer({
      wire: 'openai-responses',
      script: [
        { calls: [{ name: 'github__search_issues', args: { query: 'is:open' } }] },
        ({ messages }) => ({ text: `They are: ${JSON.stringify(messages.at(-1))}` }),
      ],
    })
    await using model = await startModel(({ results }, index) =>
      index === 0
        ? { calls: [{ name: 'github__search_issues', args: { query: 'is:open' } }] }
        : { says: `They are: ${results.map(({ text }) => text).join()}` },
    )
    const keys = { OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none' }
    const openAi = id.startsWith('agent') ? streaming.url : `${model.url}/v1`
    const urls = { OPENAI_BASE_URL: openAi, ANTHROPIC_BASE_URL: model.url }
    const { code, stdout } = await runProgram(process.execPath, [join(folder, 'out', `${id}.js`)], {
      cwd: project,
      env: { ...env, ...keys, ...urls },
      timeout: 50_000,
    })
    expect(code).toBe(0)
    expect(stdout).toContain(printed[id] ?? '')
  })
})

/** What the programs with a model print at the end. */
const printed: Readonly<Record<string, string>> = {
  'agent.1': '3 open issues',
  'serve.1': 'snapshot',
  'embedding.3': 'They are: 3 open issues',
  'embedding.4': 'They are: 3 open issues',
  'embedding.5': 'They are: 3 open issues',
}

/** A person with the servers that guides mention, in a home of its own for each snippet. */
async function prepareWorld(id: string) {
  const own = join(home, `${id}-home`)
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } })
  const greeting = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello, Dana.' } }] }
  // Only the guide about logins has a server that asks for one; to the others it would be a server that fails.
  if (id.startsWith('logging-in')) {
    const { mcp } = await startAuthorizationServer()
    return toEnvironment(own, { docs: { type: 'http', url: mcp } })
  }
  return toEnvironment(own, {
    github: faultyServer({
      tools: ['search_issues', 'create_issue'].map(tool),
      on: { 'tools/call:search_issues': { text: '3 open issues' } },
    }),
    files: faultyServer({ tools: [tool('read_text_file')] }),
    notes: faultyServer({
      capabilities: { tools: {}, prompts: {}, completions: {}, resources: { subscribe: true } },
      instructions: 'Keep notes short.',
      prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
      resources: [{ uri: 'note:///today', name: 'today' }],
      results: {
        'prompts/get': greeting,
        'completion/complete': { completion: { values: ['Dana'] } },
        'resources/subscribe': {},
        'resources/unsubscribe': {},
      },
    }),
  })
}

function toEnvironment(own: string, mcpServers: object) {
  mkdirSync(join(own, '.config/plugboard'), { recursive: true })
  writeFileSync(join(own, '.config/plugboard/mcp.json'), JSON.stringify({ mcpServers }))
  const path = `${installBrowser(join(own, 'bin'))}:${process.env['PATH']}`
  return { HOME: own, USERPROFILE: own, PATH: path, PLUGBOARD_CREDENTIALS: 'file' }
}

test.each(guides.flatMap((guide) => [...blocksOf(guide, 'json'), ...blocksOf(guide, 'jsonc')]))(
  'guides: the JSON of $id parses',
  ({ text }) => {
    const errors: ParseError[] = []
    parse(text, errors, { allowTrailingComma: true })
    expect(errors).toEqual([])
  },
)

test('guides: every command that they show exists', () => {
  const reference = readFileSync(join(root, 'docs/reference/cli.md'), 'utf8')
  const lines = guides.flatMap((guide) => blocksOf(guide, '')).flatMap(({ text }) => text.split('\n'))
  const verbs = lines.flatMap((line) => /^(?:\$ )?plugboard ([a-z]+)/.exec(line)?.[1] ?? [])
  expect(verbs.length).toBeGreaterThan(20)
  expect([...new Set(verbs)].filter((verb) => !reference.includes(`plugboard ${verb}`))).toEqual([])
})

test('npm run test:runtimes: the program works on Node; runtimes that are not installed are skipped', async () => {
  // Nothing else is on the path.
  const { code, stdout } = await runProgram(process.execPath, [join(root, 'scripts/test-runtimes.mjs')], {
    env: { PATH: join(process.execPath, '..') },
  })
  expect(stdout).toContain(`node ${process.version}: ok`)
  expect(code).toBe(0)
})
