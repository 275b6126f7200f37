import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lockLimits } from './lock-format.ts'
import type { LockFile, LockedServer } from '../model/locked-server.ts'
import { parseLockFile } from './parse-lock-file.ts'
import { printLockFile } from './print-lock-file.ts'

const hash = (digit: string) => `sha256:${digit.repeat(64)}`

const github: LockedServer = {
  declaration: hash('1'),
  command: 'npx',
  package: '@acme/github',
  version: '1.2.3',
  scripts: new Map(),
  instructions: hash('2'),
  tools: new Map([
    ['search', hash('3')],
    ['create_issue', hash('4')],
  ]),
  prompts: new Map([['summary', hash('5')]]),
  templates: new Map(),
  skills: new Map([['skill://pdf/SKILL.md', hash('d')]]),
}

const local: LockedServer = {
  declaration: hash('a'),
  command: 'node',
  scripts: new Map([['tools/server.js', hash('b')]]),
  tools: new Map(),
  prompts: new Map(),
  templates: new Map([['file:///{path}', hash('c')]]),
  skills: new Map(),
}

const golden = `{
  "version": 1,
  "servers": {
    "github": {
      "declaration": "${hash('1')}",
      "command": "npx",
      "package": "@acme/github",
      "version": "1.2.3",
      "instructions": "${hash('2')}",
      "tools": {
        "create_issue": "${hash('4')}",
        "search": "${hash('3')}"
      },
      "prompts": {
        "summary": "${hash('5')}"
      },
      "skills": {
        "skill://pdf/SKILL.md": "${hash('d')}"
      }
    },
    "local": {
      "declaration": "${hash('a')}",
      "command": "node",
      "scripts": {
        "tools/server.js": "${hash('b')}"
      },
      "tools": {},
      "templates": {
        "file:///{path}": "${hash('c')}"
      }
    }
  }
}
`

const lock: LockFile = {
  servers: new Map([
    ['local', local],
    ['github', github],
  ]),
}

test('print: sorted, one line an item, keys that are absent left out', () => {
  expect(printLockFile(lock)).toBe(golden)
  expect(printLockFile({ servers: new Map() })).toBe('{\n  "version": 1,\n  "servers": {}\n}\n')
})

test('parse: reads what was printed, also with other line ends and a $schema', async () => {
  expect(await parseLockFile(golden)).toEqual(lock)
  expect(await parseLockFile(golden.replaceAll('\n', '\r\n'))).toEqual(lock)
  expect(await parseLockFile(golden.replace('{', '{ "$schema": "x",'))).toEqual(lock)
})

const names = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'a/b~c',
    '<<<<<<< HEAD',
    '\u202Eabc',
    'ünïcode',
    '10',
    '9',
  ),
)
const hashes = fc
  .array(fc.constantFrom(...Array.from('0123456789abcdef')), { minLength: 64, maxLength: 64 })
  .map((digits) => `sha256:${digits.join('')}`)
const maps = fc.array(fc.tuple(names, hashes), { maxLength: 6 }).map((items) => new Map(items))
const optional = (key: string, values: fc.Arbitrary<string>) =>
  fc.option(values, { nil: undefined }).map((value) => (value === undefined ? {} : { [key]: value }))
const servers: fc.Arbitrary<LockedServer> = fc
  .tuple(
    hashes,
    optional('command', names),
    optional('package', names),
    optional('version', names),
    optional('instructions', hashes),
    fc.tuple(maps, maps, maps, maps),
  )
  .map(([declaration, command, owner, version, instructions, [scripts, tools, prompts, templates]]) => ({
    declaration,
    ...command,
    ...owner,
    ...version,
    ...instructions,
    scripts,
    tools,
    prompts,
    templates,
    skills: new Map(prompts),
  }))

test('round trip: any names and hashes are read back as they were, and printed the same in any order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(names, servers), { maxLength: 4 }), async (entries) => {
      const file = { servers: new Map(entries) }
      const text = printLockFile(file)
      expect(text).toMatch(/^[\x20-\x7e\n]*$/)
      expect(await parseLockFile(text)).toEqual(file)
      expect(printLockFile({ servers: new Map([...file.servers].reverse()) })).toBe(text)
    }),
    { numRuns: 100 },
  )
})

test('parse: any text gives a lock file or a problem with its line, and never throws', async () => {
  const lines = golden.split('\n')
  await fc.assert(
    fc.asyncProperty(
      fc.nat(lines.length - 1),
      fc.oneof(fc.string(), fc.constantFrom('}', '{', '"a": 1,', '[', '"__proto__": {"x": 1},', '')),
      async (at, text) => {
        const changed = lines.with(at, text).join('\n')
        const read = await parseLockFile(changed)
        if ('servers' in read) return
        expect(read.line).toBeGreaterThanOrEqual(1)
        expect(read.line).toBeLessThanOrEqual(changed.split('\n').length)
        expect(read.problem).toMatch(/\.$/)
      },
    ),
    { numRuns: 100 },
  )
})

describe('T12 a file that cannot be used is a problem with its line and the next step', () => {
  const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split('\n').length
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['no JSON', '{ "version": 1,', 'It is not valid JSON.', ''],
    ['an empty file', '', 'It is not valid JSON.', ''],
    ['a comment', golden.replace('"version"', '// note\n  "version"'), 'It is not valid JSON.', '// note'],
    ['a list', '[]', 'It does not hold an object.', ''],
    ['another version', golden.replace('1,', '0,'), 'Its "version" has to be 1.', '"version"'],
    ['no version', '{ "servers": {} }', 'Its "version" has to be 1.', ''],
    [
      'a newer version',
      golden.replace('"version": 1,', '"version": 2,'),
      'It has version 2; this Plugboard reads version 1.',
      '"version"',
    ],
    ['a key twice', golden.replace('"search"', '"create_issue"'), 'It has the same key twice.', ''],
    [
      'an unknown key',
      golden.replace('"command": "npx"', '"accepts": "npx"'),
      'It has the key "accepts", which has no meaning here.',
      '"accepts"',
    ],
    [
      'the key __proto__',
      golden.replace('"command": "npx"', '"__proto__": {}'),
      'It has the key "__proto__", which has no meaning here.',
      '',
    ],
    [
      'a short hash',
      golden.replace(hash('3'), 'sha256:33'),
      'A hash is "sha256:" and 64 hexadecimal digits.',
      '"sha256:33"',
    ],
    [
      'a server that is a text',
      '{"version":1,\n"servers":{\n"a":"b"}}',
      'An object is expected here.',
      '"a"',
    ],
    [
      'an unknown key of the file',
      golden.replace('"servers"', '"strict": true,\n  "servers"'),
      'It has the key "strict", which has no meaning here.',
      '"strict"',
    ],
    ['servers that are a list', '{"version":1,\n"servers":[]}', 'An object is expected here.', '"servers"'],
    [
      'a declaration that is no hash',
      golden.replace(`"declaration": "${hash('1')}"`, '"declaration": "x"'),
      '"declaration" has to be a hash.',
      '"declaration"',
    ],
    [
      'instructions that are no hash',
      golden.replace(`"instructions": "${hash('2')}"`, '"instructions": "Be brief."'),
      '"instructions" has to be a hash.',
      '"instructions"',
    ],
    [
      'a command that is a number',
      golden.replace('"command": "npx"', '"command": 7'),
      '"command" has to be a text.',
      '"command"',
    ],
    [
      'an empty command',
      golden.replace('"command": "npx"', '"command": ""'),
      '"command" has to be a text.',
      '"command"',
    ],
    [
      'tools that are a list',
      golden.replace('"tools": {}', '"tools": []'),
      'An object is expected here.',
      '"tools": []',
    ],
    [
      'a hash that is a number',
      golden.replace(`"${hash('3')}"`, '7'),
      'A hash is "sha256:" and 64 hexadecimal digits.',
      ': 7',
    ],
    [
      'a hash with capital letters',
      golden.replace(hash('a'), hash('A')),
      '"declaration" has to be a hash.',
      hash('A'),
    ],
    ['a version that is a text', '{"version":"2"}', 'Its "version" has to be 1.', ''],
    ['no declaration', '{"version":1,\n"servers":{"a":{}}}', '"declaration" has to be a hash.', '"a"'],
  ]
  test.each(cases)('%s', async (_title, text, problem, place) => {
    const expected = { problem, hint: expect.any(String), ...(place !== '' && { line: lineOf(text, place) }) }
    expect(await parseLockFile(text)).toMatchObject(expected)
  })

  test('the marks of a merge conflict, with their line and the command that resolves it', async () => {
    const text = golden.replace(
      `      "version": "1.2.3",\n`,
      `<<<<<<< HEAD\n      "version": "1.2.3",\n=======\n      "version": "1.2.4",\n>>>>>>> feature\n`,
    )
    expect(await parseLockFile(text)).toEqual({
      problem: 'It has the marks of a merge conflict.',
      hint: 'Resolve it: plugboard lock',
      line: 8,
      column: 1,
    })
  })

  test('more servers or items than any project has', async () => {
    const many = (count: number) =>
      new Map(Array.from({ length: count }, (_, index) => [`t${index}`, hash('1')] as const))
    const tools = { servers: new Map([['a', { ...local, tools: many(lockLimits.items + 1) }]]) }
    expect(await parseLockFile(printLockFile(tools))).toMatchObject({
      problem: 'It has more than 10000 items in one list.',
    })
    const wide = {
      servers: new Map(Array.from({ length: lockLimits.servers + 1 }, (_, index) => [`s${index}`, local])),
    }
    expect(await parseLockFile(printLockFile(wide))).toMatchObject({
      problem: 'It has more than 1000 items in one list.',
    })
  })

  test('as many servers and items as the limits say are read', async () => {
    const many = (count: number) =>
      new Map(Array.from({ length: count }, (_, index) => [`t${index}`, hash('1')] as const))
    const full = { servers: new Map([['a', { ...local, tools: many(lockLimits.items) }]]) }
    expect(await parseLockFile(printLockFile(full))).toEqual(full)
    const wide = {
      servers: new Map(Array.from({ length: lockLimits.servers }, (_, index) => [`s${index}`, local])),
    }
    expect(await parseLockFile(printLockFile(wide))).toEqual(wide)
  })

  test('names and texts of up to 4096 characters', async () => {
    const [long, tooLong] = ['x'.repeat(4096), 'x'.repeat(4097)]
    const files = (name: string) => [
      { servers: new Map([[name, local]]) },
      { servers: new Map([['a', { ...local, tools: new Map([[name, hash('1')]]) }]]) },
      { servers: new Map([['a', { ...local, command: name }]]) },
    ]
    for (const file of files(long)) expect(await parseLockFile(printLockFile(file))).toEqual(file)
    const problems = await Promise.all(files(tooLong).map((file) => parseLockFile(printLockFile(file))))
    expect(problems).toMatchObject([
      { problem: 'A name is too long.', line: 4 },
      { problem: 'A name is too long.', line: 10 },
      { problem: '"command" has to be a text.', line: 6 },
    ])
  })

  test('a file of a version that knew no apps, and one with apps', async () => {
    const withApps = { servers: new Map([['a', { ...local, apps: new Map([['ui://a', hash('1')]]) }]]) }
    expect(await parseLockFile(printLockFile(withApps))).toEqual(withApps)
    const none = golden.replace('"tools": {}', '"apps": {},\n      "tools": {}')
    expect(await parseLockFile(none)).toEqual({
      servers: new Map([...lock.servers, ['local', { ...local, apps: new Map() }]]),
    })
  })

  test('marks in the first line, and a hint for each kind of problem', async () => {
    expect(await parseLockFile(`<<<<<<< HEAD\n${golden}`)).toMatchObject({ line: 1, column: 1 })
    expect(await parseLockFile('[]')).toMatchObject({ hint: 'Write it again: plugboard lock' })
    expect(await parseLockFile('{')).toMatchObject({ hint: 'Write it again: plugboard lock' })
    expect(await parseLockFile('{"version":2}')).toMatchObject({ hint: 'Use a newer Plugboard.' })
  })

  test('deep nesting is refused and does not overflow', async () => {
    const deep = `{"version":1,"servers":${'['.repeat(5000)}${']'.repeat(5000)}}`
    expect(await parseLockFile(deep)).toHaveProperty('problem')
  })
})

test('a tool that is called __proto__ or constructor is an item like any other', async () => {
  const tools = new Map([
    ['__proto__', hash('1')],
    ['constructor', hash('2')],
  ])
  const read = await parseLockFile(printLockFile({ servers: new Map([['a', { ...local, tools }]]) }))
  expect(read).toEqual({ servers: new Map([['a', { ...local, tools }]]) })
  expect(({} as Record<string, unknown>)['x']).toBeUndefined()
})
