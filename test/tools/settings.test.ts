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

describe('what a person and a project say about tools', () => {
  test('D-7 a person’s settings narrow, a project’s narrow further, and neither brings anything back', async () => {
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

  test('a project’s guard and rules count for every agent too', async () => {
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

  test('T01 a project cannot allow what a person has forbidden', async () => {
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
    ['a person', { user: '{ "tools": ["*", ' }, 'Your settings', user],
    ['a project', { project: 'not JSON' }, "The project's settings", `project/${project}`],
  ])(
    'settings of %s that cannot be read hide all tools until they are mended',
    async (_, settings, whose, file) => {
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
    },
  )

  test('reload reads them anew, for views that are open too', async () => {
    await using x = await open({ project: { servers: ['docs'] } })
    const view = await x.host.scope({ conversation: 'c' })
    expect(view.tools().map(({ name }) => name)).toEqual(['docs__find', 'docs__write'])
    writeFiles(x.home, { [`project/${project}`]: JSON.stringify({ servers: ['web'] }) })
    await x.host.reload()
    expect(view.tools().map(({ name }) => name)).toEqual(['web__search'])
  })

  test('whoever leaves out the files of the project leaves out its settings', async () => {
    const files = { [project]: '{"tools":[]}' }
    await using x = await toolHost(servers, { files, projectFiles: false })
    await x.host.ready()
    expect(x.host.tools()).toHaveLength(3)
  })

  test('a rule of a file is named by its line where it matches nothing', async () => {
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
