import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { runProgram } from './support/programs/program.ts'

const script = fileURLToPath(new URL('../scripts/peer-majors.mjs', import.meta.url))
const read = (path: string) =>
  JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')) as Readonly<
    Record<string, Readonly<Record<string, unknown>>>
  >
const { peerDependencies = {}, peerDependenciesMeta, dependencies = {} } = read('package.json')
const names = Object.keys(peerDependencies)

/** Runs the script against a registry on this machine that has these versions. */
async function run(versions: Readonly<Record<string, string>>) {
  const registry = createServer((request, response) => {
    const name = decodeURIComponent(/^\/(.*)\/latest$/.exec(request.url ?? '')?.[1] ?? '')
    response.end(JSON.stringify({ version: versions[name] }))
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void registry.close())
  const { port } = registry.address() as AddressInfo // a TCP server
  const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${port}/` }
  return runProgram(process.execPath, [script], { env })
}

test('npm run peers: ends with 0 while every newest major is in our range', async () => {
  const versions = Object.fromEntries(names.map((name) => [name, '0.99.0']))
  expect((await run({ ...versions, ai: '7.9.9', openai: '7.0.0' })).code).toBe(0)
})

test('npm run peers: names a library with a new major, and ends with 1', async () => {
  const versions = Object.fromEntries(names.map((name) => [name, '0.99.0']))
  const { stdout, code } = await run({ ...versions, ai: '8.0.0', '@openai/agents': '1.0.0' })
  expect(code).toBe(1)
  const found = stdout.split('\n').filter((line) => line.endsWith('NEW MAJOR'))
  expect(found.map((line) => line.split(' ')[0])).toEqual(['@openai/agents', 'ai'])
})

test('D-14 package.json: libraries with adapters are optional peers and no dependencies', () => {
  expect(peerDependenciesMeta).toEqual(Object.fromEntries(names.map((name) => [name, { optional: true }])))
  expect(names.filter((name) => name in dependencies)).toEqual([])
})

test('test/peers/sets.json: the sets have the same libraries, which are peers', () => {
  const sets = read('test/peers/sets.json')
  const [newest, oldest] = [sets['newest'], sets['oldest']].map((set) => Object.keys(set ?? {}))
  expect(oldest).toEqual(newest)
  // A provider of the AI SDK, for its tests.
  expect(newest?.filter((name) => !names.includes(name))).toEqual(['@ai-sdk/openai'])
})
