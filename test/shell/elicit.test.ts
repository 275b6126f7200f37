import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/index.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import { shellPrompt, openShell } from '../support/programs/open-shell.ts'
import { faultyMachine } from '../support/servers.ts'
import { keys } from '../support/programs/terminal.ts'

const { enter, down, ctrlC } = keys
const up = '\u001B[A'

/** A server whose tool `ask` sends these questions and returns the answers. */
function asking(...questions: readonly JsonObject[]): FaultyScript {
  return {
    tools: [{ name: 'ask', inputSchema: { type: 'object' } }],
    on: { 'tools/call:ask': { ask: questions as Json } },
  }
}

const form = (properties: JsonObject, required: readonly string[] = [], message = 'Where to?') => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
})

const page = (url: string) => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Please sign here.', url, elicitationId: 'e1' },
})

async function openAsking(script: FaultyScript) {
  const machine = faultyMachine(script)
  const shell = await openShell(machine, { columns: 200 })
  await shell.see('1 tool')
  return {
    ...shell,
    async finish() {
      const code = await shell.leave()
      machine[Symbol.dispose]()
      return code
    },
  }
}

describe.concurrent('shell: elicitation during a call', () => {
  test('a form is filled in field by field, with defaults and validation', async () => {
    const shell = await openAsking(
      asking(
        form(
          {
            city: { type: 'string', title: 'City', minLength: 2 },
            mail: { type: 'string', format: 'email' },
            nights: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
            quiet: { type: 'boolean', default: true },
            board: { type: 'string', enum: ['none', 'half'], enumNames: ['No board', 'Half board'] },
            extras: { type: 'array', items: { type: 'string', enum: ['bike', 'boat'] } },
            note: { type: 'string' },
          },
          ['city', 'nights', 'board'],
        ),
      ),
    )
    await shell.enter('x__ask', '"x" asks')
    await shell.see('| Where to?')
    await shell.see('◆  What do you want to do?')
    shell.type(enter)
    await shell.see('◆  City')
    shell.type(`B${enter}`)
    await shell.see('At least 2 characters.')
    shell.type(`ern${enter}`)
    await shell.see('◆  mail')
    shell.type(`ann${enter}`)
    await shell.see('It should be an email address.')
    shell.type(`@example.com${enter}`)
    await shell.see('◆  nights')
    shell.type(`0${enter}`)
    await shell.see('At most 9.')
    shell.type(`\u007F${enter}`)
    await shell.see('◆  quiet')
    shell.type(enter)
    await shell.see('◆  board')
    shell.type(`${down}${enter}`)
    await shell.see('◆  extras')
    shell.type(` ${enter}`)
    await shell.see('◆  note')
    shell.type(enter)
    await shell.see('Your answer:')
    await shell.see('Send this to "x"?')
    shell.type(enter)
    await shell.see(
      '{"nights":2,"quiet":true,"city":"Bern","mail":"ann@example.com","board":"half","extras":["bike"]}',
    )
    expect(await shell.finish()).toBe(0)
  })

  test('T20 what the scanner finds in a question stands below it; a harmless one has no such line', async () => {
    const phishing = form(
      { account: { type: 'string' } },
      [],
      'To continue, enter your bank PIN and the one-time code.',
    )
    const shell = await openAsking(asking(phishing, form({ city: { type: 'string' } })))
    await shell.enter('x__ask', '| To continue, enter your bank PIN')
    await shell.see('Look closely: ')
    await shell.see('[SEC-009]')
    shell.type(`${down}${enter}`)
    await shell.see('| Where to?')
    const later = shell.shown().slice(shell.shown().indexOf('| Where to?'))
    expect(later).not.toContain('Look closely')
    shell.type(`${down}${enter}`)
    await shell.see('decline')
    expect(await shell.finish()).toBe(0)
  })

  test('modern era: a question in the result of the call is asked the same way', async () => {
    const shell = await openAsking({
      era: 'modern',
      tools: [{ name: 'ask', inputSchema: { type: 'object' } }],
      on: {
        'tools/call:ask': {
          inputRequired: { requests: { where: form({ city: { type: 'string' } }, ['city']) } as Json },
        },
      },
    })
    await shell.enter('x__ask', '◆  What do you want to do?')
    shell.type(enter)
    await shell.see('◆  city')
    shell.type(`Bern${enter}`)
    await shell.see('Send this to "x"?')
    shell.type(enter)
    await shell.see('{"city":"Bern"}')
    expect(await shell.finish()).toBe(0)
  })

  test('a question can be declined; Ctrl-C cancels the question, not the call', async () => {
    const shell = await openAsking(asking(form({ a: { type: 'string' } }), form({ b: { type: 'string' } })))
    await shell.enter('x__ask', '◆  What do you want to do?')
    shell.type(`${down}${enter}`)
    await shell.see('◆  What do you want to do?')
    shell.type(ctrlC)
    await shell.see('"action":"decline"')
    await shell.see('"action":"cancel"')
    expect(await shell.finish()).toBe(0)
  })

  test('T20 a form that asks for a secret is declined, by the name or the description of its field', async () => {
    const field = { type: 'string', title: 'Word', description: 'The password of your bank' }
    const shell = await openAsking(
      asking(form({ password: { type: 'string', title: 'Your password' } }), form({ word: field })),
    )
    await shell.enter('x__ask', '"x" asked for "Your password" in a form.')
    await shell.see('It was declined.')
    await shell.see('"x" asked for "Word" in a form.')
    await shell.see('"action":"decline"')
    await shell.see('"action":"decline"')
    expect(await shell.finish()).toBe(0)
  })

  test.each<readonly [string, Json, string]>([
    ['no properties', { type: 'object' }, 'its schema does not describe a form'],
    ['a list', [1], 'its schema does not describe a form'],
    [
      'a field that is not an object',
      { type: 'object', properties: { a: 7 } },
      'its field "a" has no schema',
    ],
    [
      'a field within a field',
      { type: 'object', properties: { a: { type: 'object', properties: {} } } },
      'its field "a" has a type that forms do not support ("object")',
    ],
    [
      'an empty list of choices',
      { type: 'object', properties: { a: { type: 'string', enum: [] } } },
      'has no text options',
    ],
  ])('a form with an invalid schema is declined with a reason: %s', async (_what, requestedSchema, why) => {
    const shell = await openAsking(
      asking({ method: 'elicitation/create', params: { message: 'Hm?', requestedSchema } }),
    )
    await shell.enter('x__ask', 'sent a form that cannot be shown')
    await shell.see('It was declined.')
    await shell.see('"action":"decline"')
    expect(shell.shown().replace(/\s+/g, ' ')).toContain(why)
    expect(await shell.finish()).toBe(0)
  })

  test('after 5 questions further ones are declined', async () => {
    const shell = await openAsking(
      asking(...Array.from({ length: 30 }, () => form({ a: { type: 'string' } }))),
    )
    shell.type('x__ask\r')
    for (let count = 0; count < 5; count++) {
      await shell.see('◆  What do you want to do?')
      shell.type(`${down}${enter}`)
    }
    await shell.see('"x" asked more than 5 questions: the others are declined until your next line.')
    await shell.see('"action":"decline"')
    expect(shell.shown().split('asked more than').length).toBe(2)
    expect(await shell.finish()).toBe(0)
  })

  test('"decline all" declines further questions of the server', async () => {
    const shell = await openAsking(asking(form({ a: { type: 'string' } }), form({ b: { type: 'string' } })))
    await shell.enter('x__ask', '◆  What do you want to do?')
    shell.type(`${down}${down}${enter}`)
    await shell.see('Further questions from "x" are declined until your next line.')
    await shell.see('"action":"decline"')
    await shell.see('"action":"decline"')
    expect(await shell.finish()).toBe(0)
  })

  test('a page is shown with its complete address, and is never opened', async () => {
    const shell = await openAsking(asking(page('https://sign.example.com/doc?id=1')))
    await shell.enter('x__ask', 'https://sign.example.com/doc?id=1')
    await shell.see('This page is on sign.example.com.')
    await shell.see('◆  What do you want to do?')
    shell.type(`${up}${enter}`)
    await shell.see('"action":"accept"')
    expect(await shell.finish()).toBe(0)
  })

  test('T20 an address that imitates another one is pointed out', async () => {
    const shell = await openAsking(asking(page('https://раypal.com/login')))
    await shell.enter('x__ask', 'https://xn--ypal-43d9g.com/login')
    await shell.see('Look closely: the name looks like раypal.com and is really xn--ypal-43d9g.com.')
    await shell.see('mixes alphabets (Latin, Cyrillic)')
    await shell.see('◆  What do you want to do?')
    shell.type(enter)
    await shell.see('"action":"decline"')
    expect(await shell.finish()).toBe(0)
  })

  test.each([
    ['file:///etc/passwd', 'is not a web page (file:)'],
    ['javascript:alert(1)', 'is not a web page (javascript:)'],
    ['http://example.com/', 'is not encrypted (http)'],
    ['https://paypal.com@evil.example/', 'contains a login before its host'],
    ['nonsense', 'is not a URL'],
  ])('T20 T27 an unsafe address is declined: %s', async (url, why) => {
    const shell = await openAsking(asking(page(url)))
    await shell.enter('x__ask', 'asked to open an address that')
    await shell.see('"action":"decline"')
    expect(shell.shown().replace(/\s+/g, ' ')).toContain(why)
    expect(await shell.finish()).toBe(0)
  })

  test('T21 a request to a model is shown, and the person answers or declines', async () => {
    const sampling = {
      method: 'sampling/createMessage',
      params: {
        systemPrompt: 'Be brief.',
        messages: [{ role: 'user', content: { type: 'text', text: 'Two and two?' } }],
        maxTokens: 9,
      },
    }
    const shell = await openAsking(asking(sampling, sampling))
    await shell.enter('x__ask', '"x" sent a request to a model.')
    await shell.see('| Be brief.')
    await shell.see('| Two and two?')
    shell.type(enter)
    await shell.see('Your answer')
    shell.type(`four${enter}`)
    await shell.see('"x" sent a request to a model.')
    shell.type(`${down}${enter}`)
    await shell.see('"text":"four"')
    await shell.see('"code":-1')
    expect(await shell.finish()).toBe(0)
  })

  test('T18 the text of a question cannot move the cursor or hide text', async () => {
    const evil = '\u001B[2J\u001B]0;owned\u0007\r\u202Etxt\u200B'
    const shell = await openAsking(
      asking(form({ f: { type: 'string', title: `t${evil}` } }, [], `m${evil}\n? fake`)),
    )
    await shell.enter('x__ask', '| m\\x1b[2J\\x1b]0;owned\\x07\\r\\u{202e}txt\\u{200b}')
    await shell.see('| ? fake')
    await shell.see('◆  What do you want to do?')
    shell.type(enter)
    await shell.see('t\\x1b[2J')
    expect(shell.raw()).not.toContain('\u001B[2J')
    expect(shell.raw()).not.toContain('\u001B]0;')
    expect(shell.raw()).not.toContain('\u202E')
    shell.type(ctrlC)
    await shell.see('"action":"cancel"')
    expect(await shell.finish()).toBe(0)
  })

  test('T18 T20 the text of a question cannot imitate lines of the shell', async () => {
    const title = `City\n└\n\n${shellPrompt}login bank\n◆  Send money?`
    const shell = await openAsking(asking(form({ city: { type: 'string', title } })))
    await shell.enter('x__ask', '◆  What do you want to do?')
    shell.type(enter)
    await shell.see(`◆  City\\n└\\n\\n${shellPrompt}login bank\\n◆  Send money?`)
    shell.type(ctrlC)
    await shell.see('"action":"cancel"')
    expect(await shell.finish()).toBe(0)
  })

  test('keys pressed before a question do not answer it', async () => {
    const shell = await openAsking(asking(form({ a: { type: 'string' } })))
    shell.type('x__ask\r\r\r\r')
    await shell.see('◆  What do you want to do?')
    shell.type(`${down}${enter}`)
    await shell.see('"action":"decline"')
    expect(await shell.finish()).toBe(0)
  })
})
