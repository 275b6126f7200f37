import { describe, expect, test } from 'vitest'
import { newHome, scripted, toolHost, writeFiles } from '../support/tool-host.ts'

const object = { type: 'object' } as const
const tool = (name: string, annotations = {}) => ({ name, inputSchema: object, annotations })
const servers = {
  docs: scripted({
    tools: [tool('find', { readOnlyHint: true }), tool('write', { readOnlyHint: false })],
    prompts: [{ name: 'greet' }],
    instructions: 'Be kind.',
  }),
  web: scripted({ tools: [tool('search')] }),
}

const user = '.config/plugboard/settings.json'
const project = '.plugboard/settings.json'

async function open(settings: { readonly user?: unknown; readonly project?: unknown }, home = newHome()) {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  if (settings.user !== undefined) writeFiles(home, { [user]: text(settings.user) })
  const files = settings.project === undefined ? {} : { [project]: text(settings.project) }
  const x = await toolHost(servers, { home, files })
  await x.host.ready()
  return { ...x, names: () => x.host.tools().map(({ name }) => name) }
}

describe('settings about tools', () => {
  test('settings of the user hide tools, those of the project hide more, and neither restores one (D-7)', async () => {
    await using x = await open({
      user: { tools: ['*', '!web__*'], sources: [] },
      project: { tools: ['docs__find', 'web__search'] },
    })
    expect(x.names()).toEqual(['docs__find'])
    expect(x.host.why('web__search').visibility).toEqual({
      visible: false,
      layer: 'user',
      pattern: '!web__*',
      reason: 'The pattern "!web__*" of your settings denies it.',
      origin: { file: `${x.home}/${user}`, pointer: '/tools', line: 1, column: 2 },
    })
    expect(x.host.why('docs__write').visibility).toEqual({
      visible: false,
      layer: 'project',
      reason: 'No pattern of the project admits it.',
      origin: { file: `${x.home}/project/${project}`, pointer: '/tools', line: 1, column: 2 },
    })
    await expect(x.host.call('docs__write', {})).rejects.toMatchObject({ code: 'tool.unknown' })
    const view = await x.host.scope({ tools: ['*'] })
    expect(view.tools().map(({ name }) => name)).toEqual(['docs__find'])
  })

  test('the guard and rules of a project apply to every agent', async () => {
    const home = newHome()
    writeFiles(home, { 'project/AGENTS.md': '## Writer\ntools: [*]\n' })
    await using x = await open(
      {
        project: {
          readOnly: 'reject-declared',
          rules: [{ effect: 'deny', tools: ['web/*'], reason: 'We work offline.' }],
        },
      },
      home,
    )
    const writer = await x.host.scope({ agent: 'Writer' })
    expect(writer.tools().map(({ name }) => name)).toEqual(['docs__find', 'web__search'])
    await expect(writer.call('web__search', {})).rejects.toMatchObject({
      code: 'call.denied',
      message: expect.stringContaining('We work offline.') as string,
    })
    expect(writer.why('web__search').decision).toMatchObject({ effect: 'deny', layer: 'project' })
  })

  test('a project cannot allow what the user forbids (T01)', async () => {
    await using x = await open({
      user: { rules: [{ effect: 'deny', tools: ['web/*'] }], readOnly: 'reject-declared' },
      project: {
        readOnly: { policy: 'off', except: ['*'] },
        rules: [{ effect: 'allow', tools: ['*'] }],
        preset: 'omp',
      },
    })
    expect(x.names()).toEqual(['docs__find', 'web__search'])
    await expect(x.host.call('web__search', {})).rejects.toMatchObject({ code: 'call.denied' })
    expect(x.host.problems()).toContainEqual({
      code: 'settings-invalid',
      severity: 'warn',
      message: 'Settings: "preset" is not a project setting; it is ignored.',
      origin: expect.objectContaining({ file: `${x.home}/project/${project}`, pointer: '/preset' }) as object,
    })
  })

  test.each([
    ['the user', { user: '{ "tools": ["*", ' }, 'Your settings', user],
    ['the project', { project: 'not JSON' }, "The project's settings", `project/${project}`],
  ])('invalid settings of %s hide all tools until they are fixed', async (_, settings, whose, file) => {
    await using x = await open(settings)
    expect(x.names()).toEqual([])
    expect(x.host.problems()).toContainEqual({
      code: 'settings-invalid',
      severity: 'error',
      message: expect.stringMatching(
        `^${whose} cannot be read; no tool is offered until this is fixed: `,
      ) as string,
      origin: expect.objectContaining({ file: `${x.home}/${file}`, line: 1 }) as object,
    })
    writeFiles(x.home, { [file]: '{}' })
    await x.host.reload()
    expect(x.names()).toEqual(['docs__find', 'docs__write', 'web__search'])
  })

  test('reload reads the settings again, also for open views', async () => {
    await using x = await open({ project: { servers: ['docs'] } })
    const view = await x.host.scope({ conversation: 'c' })
    expect(view.tools().map(({ name }) => name)).toEqual(['docs__find', 'docs__write'])
    writeFiles(x.home, { [`project/${project}`]: JSON.stringify({ servers: ['web'] }) })
    await x.host.reload()
    expect(view.tools().map(({ name }) => name)).toEqual(['web__search'])
  })

  test('projectFiles: false ignores the settings of the project', async () => {
    const files = { [project]: '{"tools":[]}' }
    await using x = await toolHost(servers, { files, projectFiles: false })
    await x.host.ready()
    expect(x.host.tools()).toHaveLength(3)
  })

  test('problems: a rule that matches nothing is reported with its place in the file', async () => {
    await using x = await open({ project: { rules: [{ effect: 'deny', tools: ['wbe/*'] }] } })
    expect(x.host.problems()).toEqual([
      {
        code: 'idle-pattern',
        severity: 'warn',
        message: 'The pattern "wbe/*" of a rule of the project matches no tool.',
        origin: { file: `${x.home}/project/${project}`, pointer: '/rules/0', line: 1, column: 11 },
      },
    ])
  })
})
