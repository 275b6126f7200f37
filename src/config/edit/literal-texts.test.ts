import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memoryMachine } from '../../../test/support/memory-machine.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { ValueField, ValueRules } from '../../sources/entries/template.ts'
import { sourceIds } from '../../sources/places.ts'
import type { FilePlace } from '../../sources/source.ts'
import { partsOf } from '../values/value-sites.ts'
import { createWorld } from '../world.ts'
import { addDeclaration } from './declarations.ts'
import { readOffers } from './offered-servers.ts'
import { exportServers, importServers } from './transfer.ts'
import { translateValue, valueRulesIn } from './translate-value.ts'

const fields: readonly ValueField[] = ['command', 'args', 'env', 'cwd', 'envFile', 'url', 'headers', 'auth']
const isSet = (name: string) => name === 'TOKEN'

/** What an owner makes of a text: `undefined` if it does more than to take it as it is. */
function plainText(value: string, field: ValueField, rules: ValueRules): string | undefined {
  if (rules.fields && !rules.fields.includes(field)) return value
  const parts = partsOf({ field, key: 'K', value }, rules)
  const isPlain = parts.every(
    (part) => part.kind === 'text' || (part.kind === 'env' && part.text === part.name && !isSet(part.name)),
  )
  return isPlain ? parts.map(({ text }) => text).join('') : undefined
}

async function allRules() {
  const { platform } = memoryMachine({})
  const world = await createWorld(platform)
  const place: FilePlace = {
    path: '/home/dana/x.json',
    scope: 'user',
    authority: 'user',
    format: 'json',
    role: 'servers',
    root: '/home/dana',
  }
  const sources = await Promise.all(sourceIds.map((id) => loadSource(id)))
  return sources.map((source) => valueRulesIn(source, place, world))
}

const pieces = (
  '!|!touch x|${TOKEN}|${env:TOKEN}|{env:TOKEN}|{file:/etc/x}|$TOKEN|$(touch x)|${input:a}|${keychain:a/b}|$env:TOKEN|' +
  '${{ secrets.A }}|%TOKEN%|${workspaceFolder}|${TOKEN:-a}|${env:TOKEN , value:b}|${value:b}|${|}|{|$|TOKEN|a| |`x`'
)
  .split('|')
  .map((piece) => piece.replace(',', '|'))

test('T61 a text stays the same text in every other dialect, or is left out with the reason', async () => {
  const rules = await allRules()
  const text = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((list) => list.join('')),
    fc.string(),
  )
  const dialect = fc.constantFrom(...rules)
  fc.assert(
    fc.property(text, dialect, dialect, fc.constantFrom(...fields), (value, from, to, field) => {
      fc.pre(plainText(value, field, from) === value)
      const translated = translateValue({ field, key: 'K', value }, { from, to, isSet })
      const written =
        typeof translated.value === 'string' ? plainText(translated.value, field, to) : undefined
      const isSaid = translated.isLeftOut && translated.reason?.includes('left out')
      expect(isSaid || written === value).toBe(true)
    }),
    { numRuns: 5000 },
  )
})

const ourFile = '~/.config/plugboard/mcp.json'

function serverJson(over: object) {
  const entry = {
    registryType: 'npm',
    identifier: 'w',
    version: '1.0.0',
    transport: { type: 'stdio' },
    ...over,
  }
  return memoryMachine({
    'server.json': { name: 'a.b/loc', description: 'd', version: '1.0.0', packages: [entry] },
  })
}

async function addFrom({ platform }: ReturnType<typeof memoryMachine>, answers = {}) {
  const [offer] = await readOffers('server.json', { platform })
  if (!offer) throw new Error('There is no offer.')
  return addDeclaration(await offer.describe(answers), { platform })
}

describe('T61 texts of a server.json never become commands or variables of our file', () => {
  test('values and defaults of variables are left out with the reason', async () => {
    const environmentVariables = [
      { name: 'A', value: 'plain' },
      { name: 'B', value: '!touch x' },
      { name: 'C', default: '${SECRET}' },
      { name: 'D', value: '${{v}}', variables: { v: { default: 'SECRET' } } },
    ]
    const machine = serverJson({ environmentVariables })
    const { lost } = await addFrom(machine)
    expect(lost).toEqual([
      { field: 'env.B', reason: 'It is plain text, and the target would run !touch x; it is left out.' },
      { field: 'env.C', reason: 'It is plain text, and the target would resolve ${SECRET}; it is left out.' },
      { field: 'env.D', reason: 'It is plain text, and the target would resolve ${SECRET}; it is left out.' },
    ])
    expect(await machine.read(ourFile)).toEqual({
      mcpServers: { loc: expect.objectContaining({ env: { A: 'plain' } }) },
    })
  })

  test('a placeholder that the person answers with stays one', async () => {
    const machine = serverJson({ environmentVariables: [{ name: 'C', default: '${SECRET}' }] })
    await addFrom(machine, { C: '${MINE}' })
    expect(await machine.read(ourFile)).toMatchObject({ mcpServers: { loc: { env: { C: '${MINE}' } } } })
  })

  test.each([
    ['an argument', { packageArguments: [{ type: 'positional', value: '${SECRET}' }] }],
    [
      'a repeated default',
      {
        packageArguments: [
          { type: 'positional', valueHint: 'a', isRepeated: true, default: ['{env:SECRET}'] },
        ],
      },
    ],
    ['an address', { transport: { type: 'sse', url: 'https://example.com/${SECRET}' } }],
  ])('%s cannot be left out, so the server is refused', async (_what, over) => {
    const machine = serverJson(over)
    await expect(addFrom(machine)).rejects.toThrow('which it cannot do without')
    expect(await machine.read(ourFile)).toBeUndefined()
  })
})

test('T61 texts of another client never become commands of our file', async () => {
  const machine = memoryMachine({
    '~/.cursor/mcp.json': {
      mcpServers: {
        a: { command: 'x', env: { B: '!touch x', C: 'c' } },
        b: { command: 'x', args: ['${SECRET}'] },
        c: { url: 'https://example.com/mcp', headers: { X: '!touch x' } },
      },
    },
  })
  const { copied, skipped } = await importServers('cursor', { platform: machine.platform })
  expect([copied, skipped.map(({ name }) => name)]).toEqual([['a', 'c'], ['b']])
  const text = JSON.stringify(await machine.read(ourFile))
  expect(text).toContain('"C":"c"')
  expect(text).not.toMatch(/touch|SECRET/)
})

test.each([
  ['crush', '$(touch x)'],
  ['crush', '`touch x`'],
  ['gemini-cli', '$SECRET'],
  ['oh-my-pi', 'SECRET'],
  ['continue', '${{ secrets.A }}'],
])('T61 an export to %s leaves out %s, which is plain text in our file', async (client, value) => {
  const servers = { s: { command: 'x', env: { A: value, B: 'plain' } } }
  const machine = memoryMachine({ [ourFile]: { mcpServers: servers } }, { SECRET: 'hidden' })
  const { lost, changes } = await exportServers(client, { platform: machine.platform, dryRun: true })
  expect(lost).toEqual([{ field: 's.env.A', reason: expect.stringContaining('it is left out') }])
  expect(changes[0]?.after).toContain('plain')
  expect(changes[0]?.after).not.toContain(value)
})

test('T61 a token that is plain text in our file is no command in the header of an export', async () => {
  const auth = { type: 'bearer', token: '!touch x' }
  const machine = memoryMachine({ [ourFile]: { mcpServers: { s: { url: 'https://example.com/', auth } } } })
  const { changes } = await exportServers('crush', { platform: machine.platform, dryRun: true })
  expect(changes[0]?.after).not.toContain('$(touch')
})
