import { describe, expect, test } from 'vitest'
import { home, memoryMachine } from '../../../test/support/memory-machine.ts'
import { loadSamples } from '../../../test/support/samples.ts'
import { isObject } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import type { SourceId } from '../../sources/places.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { discover } from '../discover.ts'
import { applyPlan } from './apply-plan.ts'
import { planAdoption } from './plan-adoption.ts'
import { planRelease } from './plan-release.ts'
import { rehearsalOf } from './rehearsal.ts'

const program = { command: '/usr/bin/node', args: ['/opt/plugboard/dist/cli/plugboard.cjs'] }
const cursor = '~/.cursor/mcp.json'
const codex = '~/.codex/config.toml'
const settings = '~/.config/plugboard/settings.json'
const ourFile = '~/.config/plugboard/mcp.json'

const reasonOf = (lost: readonly { readonly field: string; readonly reason: string }[]) =>
  Object.fromEntries(lost.map(({ field, reason }) => [field, reason]))

describe('adopt: what the preview names', () => {
  test('Codex: modes of approval by tool, and keys that only Codex knows; times move and are not named', async () => {
    const { platform, read, textOf } = memoryMachine({
      [codex]: `
[mcp_servers.docs]
command = "docs"
tool_timeout_sec = 5
startup_timeout_sec = 7
required = true
default_tools_approval_mode = "writes"
[mcp_servers.docs.tools.search]
approval_mode = "prompt"
`,
    })
    const plan = await planAdoption('codex', { platform, program })
    const unknown = 'Only the client knows it; it has no effect until the client is released.'
    expect(reasonOf(plan.lost)).toEqual({
      'docs.required': unknown,
      'docs.default_tools_approval_mode':
        'It is "writes", and does not hold behind the gateway: Codex decides by its own default.',
      'docs.tools.search.approval_mode':
        'It is "prompt", and does not hold behind the gateway. Set it for "docs__search" of the entry "plugboard".',
    })
    await applyPlan(plan, { platform })
    expect(await read(ourFile)).toMatchObject({
      mcpServers: { docs: { timeout: 5000, startupTimeout: 7000 } },
    })
    expect(textOf(codex)).toContain('tool_timeout_sec = 5\nstartup_timeout_sec = 7\n')
  })

  test('Gemini CLI: "trust", which skips all confirmations, is named', async () => {
    const { platform } = memoryMachine({
      '~/.gemini/settings.json': { mcpServers: { a: { command: 'a', trust: true, timeout: 5000 } } },
    })
    expect(reasonOf((await planAdoption('gemini-cli', { platform, program })).lost)).toEqual({
      'a.trust': 'It is true, and does not hold behind the gateway: Gemini CLI decides by its own default.',
    })
  })

  test('the time of one server does not cut the calls of another that has none', async () => {
    const { platform, textOf } = memoryMachine({
      [codex]: '[mcp_servers.a]\ncommand = "a"\ntool_timeout_sec = 5\n[mcp_servers.b]\ncommand = "b"\n',
    })
    const plan = await planAdoption('codex', { platform, program })
    expect(plan.notes).toEqual([
      'Calls of b end after 60 seconds without an answer or progress, whatever the client allows. "timeout" of an entry changes that.',
    ])
    await applyPlan(plan, { platform })
    expect(textOf(codex)).toContain('tool_timeout_sec = 600\n')
  })

  test('Cursor: what it switches off itself is not in its file, and a switch that it does not read stays', async () => {
    const { platform } = memoryMachine({
      [cursor]: {
        mcpServers: { on: { command: 'on', color: 'red' }, off: { command: 'off', disabled: true } },
      },
    })
    const plan = await planAdoption('cursor', { platform, program })
    expect(plan.moved.map(({ name }) => name)).toEqual(['on'])
    expect(plan.stays.map(({ name, reason }) => [name, reason])).toEqual([
      ['off', 'It says "disabled": true, which Cursor is not known to read. Remove the key to move it.'],
    ])
    expect(plan.notes[0]).toBe(
      'Cursor keeps which servers and tools are switched off outside its files, where Plugboard does not see it: what moves is on. Switch a server off with "plugboard disable NAME", and tools in the view.',
    )
    expect(plan.lost.map(({ field }) => field)).toEqual(['on.color'])
  })

  test('an entry that two clients share has the times of the first, which is said of the second', async () => {
    const { platform } = memoryMachine({
      [ourFile]: { mcpServers: { a: { command: 'a', timeout: 9000 } } },
      [codex]: '[mcp_servers.a]\ncommand = "a"\ntool_timeout_sec = 5\nstartup_timeout_sec = 7\n',
    })
    const { moved, lost } = await planAdoption('codex', { platform, program })
    expect(moved.map(({ as, isShared }) => [as, isShared])).toEqual([['a', true]])
    expect(reasonOf(lost)).toEqual({
      'a.timeout': 'The entry of your own file, which both use, has 9000.',
      'a.startupTimeout': 'The entry of your own file, which both use, does not have it.',
    })
  })

  test('every file that is written or removed is named, in both directions', async () => {
    const { platform, texts } = memoryMachine({ [cursor]: { mcpServers: { a: { command: 'a' } } } })
    const unwritten = new Map(texts)
    const plan = await planAdoption('cursor', { platform, program })
    await applyPlan(plan, { platform })
    const changed = (before: ReadonlyMap<string, string>) =>
      [...new Set([...before.keys(), ...texts.keys()])]
        .filter((path) => before.get(path) !== texts.get(path) && !path.endsWith('/added-keys.json'))
        .sort()
    expect([...plan.writes].sort()).toEqual(changed(unwritten))
    expect(plan.writes).toContain(`${home}/.cursor/mcp.json.before-plugboard`)
    const adopted = new Map(texts)
    const back = await planRelease('cursor', { platform })
    await applyPlan(back, { platform })
    expect([...back.writes, ...back.removes].sort()).toEqual(changed(adopted))
  })
})

test('a rehearsal of two clients plans what the real run does, and writes nothing', async () => {
  const start = () =>
    memoryMachine({
      [settings]: { views: { codex: {} } },
      [cursor]: { mcpServers: { files: { command: 'one' }, same: { command: 'same' } } },
      [codex]: '[mcp_servers.files]\ncommand = "two"\n[mcp_servers.same]\ncommand = "same"\n',
    })
  const run = async (machine: ReturnType<typeof start>, isReal: boolean) => {
    const platform = isReal ? machine.platform : await rehearsalOf({ platform: machine.platform })
    const plans: unknown[] = []
    for (const client of ['cursor', 'codex']) {
      const plan = await planAdoption(client, { platform, program })
      plans.push(plan)
      await applyPlan(plan, { platform })
    }
    for (const client of ['cursor', 'codex']) {
      const plan = await planRelease(client, { platform })
      plans.push(plan)
      await applyPlan(plan, { platform })
    }
    return plans
  }
  const [real, rehearsed] = [start(), start()]
  const before = new Map(rehearsed.texts)
  const plans = await run(rehearsed, false)
  expect(rehearsed.texts).toEqual(before)
  expect(plans).toEqual(await run(real, true))
  expect(plans[1]).toMatchObject({
    view: 'codex-adopted',
    moved: [
      { name: 'files', as: 'files-codex', isShared: false },
      { name: 'same', as: 'same', isShared: true },
    ],
  })
})

/** Keys whose meaning our form has under another name, or that say what is the case without them. */
const expressed = new Set(
  'type transport transportType command cmd args argv env envs environment env_vars env_keys cwd workingDirectory envFile url uri httpUrl serverUrl headers http_headers env_http_headers requestOptions auth oauth apiKey bearer_token_env_var bearerToken bearerTokenEnv scopes oauth_resource oauthScopes oauthClientId oauthPublicClient oauthGrantType oauth_client_id oauth_callback_port authProviderType baseUrl working_directory enabled disabled name'.split(
    ' ',
  ),
)

test.each(loadSamples().map((sample) => [sample.title, sample] as const))(
  'sample %s: every key of an entry that moves is in our entry, in the view, or named',
  async (_title, sample) => {
    const { homeDir, projectDir, env, platform: os } = sample
    const platform = nodePlatform({
      os,
      home: homeDir,
      cwd: projectDir,
      env,
      systemRoot: '/',
      files: memoryFiles(sample.files),
      lock: (_path, work) => work(),
    })
    const before = await discover({ platform, sources: [sample.client as SourceId] })
    const plan = await planAdoption(sample.client, { platform, program }).catch(() => undefined)
    const silent = (plan?.moved ?? []).flatMap(({ name, file }) => {
      const server = before.servers.find((each) => each.name === name && each.origin.file === file)
      const entry: JsonObject = server?.declared[0]?.entry ?? {}
      const { allow = null, deny = [], autoApprove = [] } = server?.tools ?? {}
      const lists = [allow, deny, autoApprove].map((each) => JSON.stringify(each))
      const times = Object.values(server?.timeouts ?? {})
      const isTold = (key: string) =>
        expressed.has(key) ||
        plan?.lost.some(({ field }) => field === `${name}.${key}` || field.startsWith(`${name}.${key}.`)) ||
        lists.includes(JSON.stringify(entry[key])) ||
        JSON.stringify(entry[key]) === '["*"]' ||
        times.some((ms) => [ms, ms / 1000, ms / 60_000].includes(Number(entry[key]))) ||
        [server?.title, server?.description].includes(entry[key] as string)
      return Object.keys(entry).flatMap((key) =>
        isTold(key) || entry[key] === null || (isObject(entry[key]) && Object.keys(entry[key]).length === 0)
          ? []
          : [`${sample.client} ${name}.${key}`],
      )
    })
    expect(silent).toEqual([])
  },
)
