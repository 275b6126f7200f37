import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { distantTestsOf, isInProcess, isOfRoutes, nearestFirst } from '../scripts/changed-tests.mjs'
import { api } from '../src/surfaces/api/api.ts'

const root = new URL('../', import.meta.url)

describe('npm run check: tests that read what changed', () => {
  test.each([
    ['README.md', ['test/readme.test.ts', 'test/documents.test.ts', 'test/requirements.test.ts']],
    ['test/fixtures/config-samples/cursor/plain/expected.json', ['test/samples.test.ts']],
    ['test/fixtures/scanner/benign-tools.json', ['test/scanner-quality.slow.test.ts']],
    ['.github/workflows/test.yml', []],
  ])('%s', (file, tests) => expect(distantTestsOf([file])).toEqual(tests))

  test('a client: its samples, and the pages that count clients', () => {
    const tests = distantTestsOf(['src/sources/clients/cursor/cursor.ts', 'src/sources/places.ts'])
    expect(tests).toEqual(expect.arrayContaining(['test/samples.test.ts', 'test/readme.test.ts']))
    expect(new Set(tests).size).toBe(tests.length)
  })

  test('a rule of the scanner: how many attacks it finds', () => {
    expect(distantTestsOf(['src/scan/rules/inj/inj-001.ts'])).toContain('test/scanner-quality.slow.test.ts')
  })

  test('each of these tests exists, and needs neither processes nor a build', () => {
    const tests = distantTestsOf(['README.md', 'package.json', 'src/scan/a.ts', 'src/sources/places.ts'])
    expect(tests.length).toBeGreaterThan(7)
    expect(tests.filter((file) => !existsSync(new URL(file, root)))).toEqual([])
    // It names modules of Node, and imports none of them.
    const others = tests.filter((file) => file !== 'test/architecture.test.ts')
    expect(others.filter((file) => !isQuick(file))).toEqual([])
  })
})

describe('npm run check: every route is tried when one changed', () => {
  test.each([
    'src/surfaces/api/tool-routes.ts',
    'src/surfaces/server/offers/tool-handlers.ts',
    'src/client/create-client.ts',
    'scripts/smoke.mjs',
  ])('%s', (file) => expect(isOfRoutes(file)).toBe(true))

  test.each([
    'src/surfaces/server/masked-json.test.ts',
    'src/surfaces/gateway/gateway.ts',
    'docs/guide/serve.md',
  ])('not with %s', (file) => expect(isOfRoutes(file)).toBe(false))

  test('the tables of routes are where the check looks for them', () => {
    expect(Object.keys(api).length).toBeGreaterThan(50)
    expect(existsSync(new URL('src/surfaces/api/api.ts', root))).toBe(true)
    expect(isOfRoutes('src/surfaces/api/api.ts')).toBe(true)
  })
})

describe('npm run check: of test/, only what runs in its own process is looked at', () => {
  const texts: Readonly<Record<string, string>> = {
    'test/a/plain.test.ts': "import { toWords } from '../../src/model/words.ts'",
    'test/a/helped.test.ts': "import { one } from '../support/one.ts'",
    'test/support/one.ts': "import { two } from './two.ts'\nimport { one } from './one.ts'",
    'test/support/two.ts': "import { spawn } from 'node:child_process'",
    'test/a/built.test.ts': "readFileSync(join(root, 'dist'))",
    'test/a/served.test.ts': "import { faultyHttp } from '../../src/testing/faulty-http.ts'",
  }

  test.each([
    ['test/a/plain.test.ts', true],
    ['test/a/helped.test.ts', false],
    ['test/a/built.test.ts', false],
    ['test/a/served.test.ts', false],
  ])('%s: %s', (file, isQuickTest) => {
    expect(isInProcess(file, (path) => texts[path] ?? '')).toBe(isQuickTest)
  })

  test('of this suite: a test of adapters, but none of calls to servers', () => {
    expect(isQuick('test/adapters/openai.test.ts')).toBe(true)
    expect(isQuick('test/tools/hot-path.test.ts')).toBe(false)
  })
})

test('npm run check: the tests beside a changed file come first, then those of folders near to it', () => {
  const near = 'src/calls/render/render.test.ts'
  const tests = ['src/agent/a.test.ts', 'src/calls/spill.test.ts', near, 'src/calls/render/block.test.ts']
  expect(nearestFirst(tests, ['src/calls/render/render.ts'])).toEqual([
    near,
    'src/calls/render/block.test.ts',
    'src/calls/spill.test.ts',
    'src/agent/a.test.ts',
  ])
  expect(nearestFirst(tests, ['src/model/a.ts', 'src/agent/b.ts'])[0]).toBe('src/agent/a.test.ts')
})

function isQuick(file: string): boolean {
  return isInProcess(file, (path) => readFileSync(fileURLToPath(new URL(path, root)), 'utf8'))
}
