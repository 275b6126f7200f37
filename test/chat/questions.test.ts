import { afterAll, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import { createMachine } from '../support/programs/cli.ts'
import { startModelServer } from '../support/model-server.ts'
import { waitForText } from '../support/programs/open-shell.ts'
import { renderScreen } from '../support/programs/screen.ts'
import { ownFile } from '../support/servers.ts'
import { keys, openTerminal } from '../support/programs/terminal.ts'

const { enter, down, ctrlC } = keys
const inputSchema = { type: 'object' }
const sampling = {
  method: 'sampling/createMessage',
  params: {
    systemPrompt: 'Be brief.',
    messages: [{ role: 'user', content: { type: 'text', text: 'Two and two?' } }],
    maxTokens: 9,
  },
}
const script: FaultyScript = {
  tools: [
    { name: 'think', inputSchema, annotations: { readOnlyHint: true } },
    { name: 'save', inputSchema },
  ],
  on: { 'tools/call:save': { text: 'saved it' }, 'tools/call:think': { ask: [sampling] } },
}

const model = await startModelServer({ wire: 'openai-chat' })
afterAll(() => model.stop())

test('T21 T48 an approval outlives a killed chat, is answered elsewhere and used once; a server uses the model after a yes', async () => {
  using machine = createMachine({
    [ownFile]: { mcpServers: { x: faultyServer(script) } },
    '~/.config/plugboard/settings.json': {
      model: 'fake/scripted',
      endpoints: { fake: { kind: 'openai-compatible', url: model.url } },
      sampling: { requestsPerMinute: 1 },
    },
  })
  const saves = () => model.play([{ calls: [{ name: 'x__save', args: { to: 'disk' } }] }, { text: 'Saved.' }])
  const killed = openTerminal(machine, ['chat'])
  await waitForText(killed, '› ')
  saves()
  killed.type(`Save it${enter}`)
  await killed.see('Call x/save?')
  process.kill(killed.pid, 'SIGKILL')
  await killed.ended

  const { stdout } = await machine.run('questions')
  const [, id = ''] = /^([0-9a-f]{8}) +pending +approval +x .* x\/save \{"to":"disk"\}/m.exec(stdout) ?? []
  const answering = openTerminal(machine, ['answer', id])
  await answering.see('yes, in this conversation')
  answering.type(`${down}${enter}`)
  expect(await answering.ended).toBe(0)

  const chat = openTerminal(machine, ['chat', '--continue'])
  await waitForText(chat, 'goes on')
  await waitForText(chat, '› ')
  saves()
  chat.type(`Go on${enter}`)
  await waitForText(chat, '│ saved it')
  await waitForText(chat, '› ')
  expect(chat.shown()).not.toContain('Call x/save?')

  saves()
  chat.type(`Once more${enter}`)
  await chat.see('Call x/save?')
  chat.type(enter)
  await waitForText(chat, 'A person said no.')
  await waitForText(chat, '› ')

  saves()
  const asked = model.requests.length
  chat.type(`And again${enter}`)
  await chat.see('Call x/save?')
  // Typing that a question interrupts answers it not: j moved its choice down, and Enter took it.
  chat.type('just a moment')
  chat.type(enter)
  chat.type(ctrlC)
  await waitForText(chat, 'Stopped. The conversation is kept.')
  await waitForText(chat, '› ')
  expect(model.requests).toHaveLength(asked + 1)

  saves()
  chat.type(`Ask elsewhere${enter}`)
  await chat.see('Call x/save?')
  await chat.see('yes, always')
  const [, other = ''] = /^([0-9a-f]{8}) +pending/m.exec((await machine.run('questions')).stdout) ?? []
  const another = openTerminal(machine, ['answer', other])
  await another.see('yes, in this conversation')
  another.type(`${down}${enter}`)
  expect(await another.ended).toBe(0)
  await waitForText(chat, 'The question was answered in another terminal.')
  await waitForText(chat, '│ saved it')
  await waitForText(chat, '› ')
  const screen = renderScreen(chat.raw(), 100)
  const said = screen.findLastIndex((line) => line.includes('answered in another terminal'))
  // The withdrawn question is gone, what it was about is still there.
  expect(screen.slice(said - 4, said).join('\n')).not.toContain('yes, this once')
  expect(screen.slice(0, said).findLast((line) => line.includes('"to"'))).toBeDefined()

  model.play([
    { calls: [{ name: 'x__think', args: {} }] },
    (request) => ({ text: `${request.system}${request.tools.length} four` }),
    { text: 'Done.' },
  ])
  chat.type(`Think${enter}`)
  await chat.see('"x" wants to use the model fake/scripted, for up to 9 tokens:')
  await chat.see('| Two and two?')
  await chat.see('Let "x" use the model?')
  chat.type(`${down}${enter}`)
  await waitForText(chat, 'Done.')
  await waitForText(chat, '› ')
  model.play([{ calls: [{ name: 'x__think', args: {} }] }, { text: 'Not again.' }])
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Be brief.0 four')
  chat.type(`Think more${enter}`)
  await waitForText(chat, '"x" may not use the model now: It sent more than 1 requests')
  await waitForText(chat, 'Not again.')
  await waitForText(chat, '› ')
  chat.type(`/leave${enter}`)
  expect(await chat.ended).toBe(0)
})

test('a form of the new protocol era outlives a killed chat, is filled in elsewhere, and the same call gets the answer', async () => {
  const where = {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Where to?',
      requestedSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  }
  const trip: FaultyScript = {
    era: 'modern',
    tools: [{ name: 'book', inputSchema, annotations: { readOnlyHint: true } }],
    on: { 'tools/call:book': { inputRequired: { requests: { where } } } },
  }
  using machine = createMachine({
    [ownFile]: { mcpServers: { trip: faultyServer(trip) } },
    '~/.config/plugboard/settings.json': {
      model: 'fake/scripted',
      endpoints: { fake: { kind: 'openai-compatible', url: model.url } },
    },
  })
  const books = () => model.play([{ calls: [{ name: 'trip__book', args: {} }] }, { text: 'Booked.' }])
  const killed = openTerminal(machine, ['chat'])
  await waitForText(killed, '› ')
  books()
  killed.type(`Book it${enter}`)
  await killed.see('What do you want to do?')
  process.kill(killed.pid, 'SIGKILL')
  await killed.ended

  const { stdout } = await machine.run('questions')
  const [, id = ''] = /^([0-9a-f]{8}) +pending +elicitation +trip /m.exec(stdout) ?? []
  const answering = openTerminal(machine, ['answer', id])
  await answering.see('What do you want to do?')
  answering.type(enter)
  await answering.see('city')
  answering.type(`Bern${enter}`)
  await answering.see('Send this to "trip"?')
  answering.type(enter)
  expect(await answering.ended).toBe(0)

  const chat = openTerminal(machine, ['chat', '--continue'])
  await waitForText(chat, 'goes on')
  await waitForText(chat, '› ')
  books()
  chat.type(`Go on${enter}`)
  await waitForText(chat, 'Booked.')
  await waitForText(chat, '› ')
  expect(chat.shown()).not.toContain('What do you want to do?')
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Bern')
  chat.type(`/leave${enter}`)
  expect(await chat.ended).toBe(0)
})
