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

test('O18 reload lets go what is gone or changed, learns what is new, and keeps the rest connected', async () => {
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

test('O18 a server that is known and was never started is still usable after a reload', async () => {
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

test('O18 one that had failed gets a new beginning, and one that is switched off goes', async () => {
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

test('O18 reloads come one after the other, and a broken file leaves the others as they are', async () => {
  const home = newHome()
  await using x = await toolHost({ kept }, { home })
  await x.host.ready()
  writeServers(home, { kept, more: serverWithTools(['one']) })
  await Promise.all([x.host.reload(), x.host.reload()])
  expect(namesOf(x.host)).toEqual(['kept__same', 'more__one'])
  expect(x.spawns()).toBe(2)
})

test('a closed host is not reloaded', async () => {
  const x = await toolHost({ kept })
  await x.host.close()
  await expect(x.host.reload()).rejects.toMatchObject({ code: 'host.closed' })
})

test('O18 a call that is under way at a server that vanishes comes to an end', async () => {
  const home = newHome()
  const gone = serverWithTools(['slow'], { on: { 'tools/call': [{ progress: 1 }, 'hang'] } })
  await using x = await toolHost({ gone, kept }, { home })
  await x.host.ready()
  writeServers(home, { kept })
  const call = x.host.call('gone__slow', {}, { onProgress: () => void x.host.reload() })
  await expect(call).rejects.toMatchObject({ code: 'call.cancelled' })
})

test('O18 a view of an agent follows its file; of one that is gone it shows nothing', async () => {
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
