import { expect, test } from 'vitest'
import {
  namesOf,
  newHome,
  serverWithTools,
  toolHost,
  writeFiles,
  writeServers,
} from '../support/tool-host.ts'

const kept = serverWithTools(['same'])

test('reload: stops removed and changed servers, lists new ones, keeps the others connected (O18)', async () => {
  const home = newHome()
  await using x = await toolHost(
    { gone: serverWithTools(['old']), kept, changed: serverWithTools(['before']) },
    { home },
  )
  await x.host.ready()
  const view = await x.host.scope({ conversation: 'c1' })
  expect(namesOf(view)).toEqual(['changed__before', 'gone__old', 'kept__same'])
  writeServers(home, { kept, changed: serverWithTools(['after']), fresh: serverWithTools(['new']) })
  await x.host.reload()
  expect(namesOf(view)).toEqual(['changed__after', 'fresh__new', 'kept__same'])
  expect(namesOf(x.host)).toEqual(namesOf(view))
  expect(x.host.servers().map(({ name, status }) => [name, status.state])).toEqual([
    ['kept', 'ready'],
    ['changed', 'ready'],
    ['fresh', 'ready'],
  ])
  expect(x.spawns()).toBe(5)
  expect((await view.call('changed__after')).failed).toBe(false)
  await expect(view.call('gone__old')).rejects.toMatchObject({ code: 'tool.unknown' })
  expect(x.events.filter(({ type }) => type === 'config.changed')).toEqual([
    { at: expect.any(Number) as number, type: 'config.changed', diagnostics: x.host.discovery.diagnostics },
  ])
})

test('reload: a cached server that was never started stays usable (O18)', async () => {
  const home = newHome()
  {
    await using x = await toolHost({ kept }, { home })
    await x.host.ready()
  }
  await using y = await toolHost({ kept }, { home })
  await y.host.ready()
  await y.host.reload()
  expect({ spawns: y.spawns(), tools: namesOf(y.host) }).toEqual({ spawns: 0, tools: ['kept__same'] })
  expect((await y.host.call('kept__same')).failed).toBe(false)
})

test('reload: a failed server is tried again, a disabled one is stopped (O18)', async () => {
  const home = newHome()
  const absent = { command: 'no-such-program-anywhere' }
  await using x = await toolHost({ kept, absent }, { home })
  await x.host.ready()
  expect(x.host.servers().map(({ status }) => status.state)).toEqual(['ready', 'failed'])
  writeServers(home, { kept: { ...kept, enabled: false }, absent: serverWithTools(['found']) })
  await x.host.reload()
  expect(namesOf(x.host)).toEqual(['absent__found'])
  expect(x.host.servers().map(({ status }) => status.state)).toEqual(['disabled', 'ready'])
})

test('reload: concurrent reloads run one after the other; an invalid file does not affect the others (O18)', async () => {
  const home = newHome()
  await using x = await toolHost({ kept }, { home })
  await x.host.ready()
  writeServers(home, { kept, more: serverWithTools(['one']) })
  await Promise.all([x.host.reload(), x.host.reload()])
  expect(namesOf(x.host)).toEqual(['kept__same', 'more__one'])
  expect(x.spawns()).toBe(2)
})

test('reload: rejects on a closed host', async () => {
  const x = await toolHost({ kept })
  await x.host.close()
  await expect(x.host.reload()).rejects.toMatchObject({ code: 'host.closed' })
})

test('reload: a running call of a removed server ends (O18)', async () => {
  const home = newHome()
  const gone = serverWithTools(['slow'], { on: { 'tools/call': [{ progress: 1 }, 'hang'] } })
  await using x = await toolHost({ gone, kept }, { home })
  await x.host.ready()
  writeServers(home, { kept })
  const call = x.host.call('gone__slow', {}, { onProgress: () => void x.host.reload() })
  await expect(call).rejects.toMatchObject({ code: 'call.cancelled' })
})

test('reload: a view of an agent follows its file, and shows nothing if the agent is gone (O18)', async () => {
  const home = newHome()
  const files = { 'AGENTS.md': '## Reader\ntools: [*__same]\n\n## Other\ntools: [*]\n' }
  await using x = await toolHost({ kept, more: serverWithTools(['one']) }, { home, files })
  await x.host.ready()
  const [reader, other] = [await x.host.scope({ agent: 'Reader' }), await x.host.scope({ agent: 'Other' })]
  expect([namesOf(reader), namesOf(other).length]).toEqual([['kept__same'], 2])
  writeFiles(home, { 'project/AGENTS.md': '## Reader\ntools: [*__one]\n' })
  await x.host.reload()
  expect([namesOf(reader), namesOf(other)]).toEqual([['more__one'], []])
})
