import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/index.ts'
import type { FaultyScript } from '../../src/testing/faulty-server.ts'
import { shellPrompt, openShell } from '../support/open-shell.ts'
import { faultyMachine } from '../support/servers.ts'
import { keys } from '../support/terminal.ts'

const { enter, down, ctrlC } = keys
const up = '\u001B[A'

/** A server whose tool asks these questions, and answers with the answers. */
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

async function asked(script: FaultyScript) {
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

describe.concurrent('a server that asks while a call runs', () => {
  test('gets a form filled in field by field, with defaults and validation', async () => {
    const shell = await asked(
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
    await shell.see('◆  What do you say?')
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
    await shell.see('You answer:')
    await shell.see('Send this to "x"?')
    shell.type(enter)
    await shell.see(
      '{"nights":2,"quiet":true,"city":"Bern","mail":"ann@example.com","board":"half","extras":["bike"]}',
    )
    expect(await shell.finish()).toBe(0)
  })

  test('is asked the same way in the newer era, where the call itself comes back with the question', async () => {
    const shell = await asked({
      era: 'modern',
      tools: [{ name: 'ask', inputSchema: { type: 'object' } }],
      on: {
        'tools/call:ask': {
          inputRequired: { requests: { where: form({ city: { type: 'string' } }, ['city']) } as Json },
        },
      },
    })
    await shell.enter('x__ask', '◆  What do you say?')
    shell.type(enter)
    await shell.see('◆  city')
    shell.type(`Bern${enter}`)
    await shell.see('Send this to "x"?')
    shell.type(enter)
    await shell.see('{"city":"Bern"}')
    expect(await shell.finish()).toBe(0)
  })

  test('may be declined, and a cancelled question is a cancelled question and no cancelled call', async () => {
    const shell = await asked(asking(form({ a: { type: 'string' } }), form({ b: { type: 'string' } })))
    await shell.enter('x__ask', '◆  What do you say?')
    shell.type(`${down}${enter}`)
    await shell.see('◆  What do you say?')
    shell.type(ctrlC)
    await shell.see('"action":"decline"')
    await shell.see('"action":"cancel"')
    expect(await shell.finish()).toBe(0)
  })

  test('T20 may not ask for a secret in a form, by its name or by what it says of it', async () => {
    const field = { type: 'string', title: 'Word', description: 'The password of your bank' }
    const shell = await asked(
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
    ['no properties', { type: 'object' }, 'it is no description of a form'],
    ['a list', [1], 'it is no description of a form'],
    ['a field that is no object', { type: 'object', properties: { a: 7 } }, 'its field "a" is not described'],
    [
      'a field within a field',
      { type: 'object', properties: { a: { type: 'object', properties: {} } } },
      'its field "a" is of no kind that a form can have ("object")',
    ],
    [
      'choices that are none',
      { type: 'object', properties: { a: { type: 'string', enum: [] } } },
      'offers no texts',
    ],
  ])('is declined with a sentence when its schema is malformed: %s', async (_what, requestedSchema, why) => {
    const shell = await asked(
      asking({ method: 'elicitation/create', params: { message: 'Hm?', requestedSchema } }),
    )
    await shell.enter('x__ask', 'asked with a form that cannot be shown')
    await shell.see('It was declined.')
    await shell.see('"action":"decline"')
    expect(shell.shown().replace(/\s+/g, ' ')).toContain(why)
    expect(await shell.finish()).toBe(0)
  })

  test('is not listened to any more when it floods', async () => {
    const shell = await asked(asking(...Array.from({ length: 30 }, () => form({ a: { type: 'string' } }))))
    shell.type('x__ask\r')
    for (let count = 0; count < 5; count++) {
      await shell.see('◆  What do you say?')
      shell.type(`${down}${enter}`)
    }
    await shell.see('"x" asks too much: after 5 questions the others are declined.')
    await shell.see('"action":"decline"')
    expect(shell.shown().split('asks too much').length).toBe(2)
    expect(await shell.finish()).toBe(0)
  })

  test('is not listened to any more when the person says so', async () => {
    const shell = await asked(asking(form({ a: { type: 'string' } }), form({ b: { type: 'string' } })))
    await shell.enter('x__ask', '◆  What do you say?')
    shell.type(`${down}${down}${enter}`)
    await shell.see('Everything else that "x" asks now is declined.')
    await shell.see('"action":"decline"')
    await shell.see('"action":"decline"')
    expect(await shell.finish()).toBe(0)
  })

  test('gets an address shown whole, and it is never opened by itself', async () => {
    const shell = await asked(asking(page('https://sign.example.com/doc?id=1')))
    await shell.enter('x__ask', 'https://sign.example.com/doc?id=1')
    await shell.see('That is a page of sign.example.com.')
    await shell.see('◆  What do you say?')
    shell.type(`${up}${enter}`)
    await shell.see('"action":"accept"')
    expect(await shell.finish()).toBe(0)
  })

  test('T20 is shown through when its address looks like another one', async () => {
    const shell = await asked(asking(page('https://раypal.com/login')))
    await shell.enter('x__ask', 'https://xn--ypal-43d9g.com/login')
    await shell.see('Look closely: the name looks like раypal.com and is really xn--ypal-43d9g.com.')
    await shell.see('mixes alphabets (Latin, Cyrillic)')
    await shell.see('◆  What do you say?')
    shell.type(enter)
    await shell.see('"action":"decline"')
    expect(await shell.finish()).toBe(0)
  })

  test.each([
    ['file:///etc/passwd', 'is no page (file:)'],
    ['javascript:alert(1)', 'is no page (javascript:)'],
    ['http://example.com/', 'is not encrypted (http)'],
    ['https://paypal.com@evil.example/', 'holds a login before its host'],
    ['nonsense', 'is none'],
  ])('T20 T27 is declined with its address %s', async (url, why) => {
    const shell = await asked(asking(page(url)))
    await shell.enter('x__ask', 'asked to open an address that')
    await shell.see('"action":"decline"')
    expect(shell.shown().replace(/\s+/g, ' ')).toContain(why)
    expect(await shell.finish()).toBe(0)
  })

  test('T21 what it would ask a model is shown, and a person answers or declines', async () => {
    const sampling = {
      method: 'sampling/createMessage',
      params: {
        systemPrompt: 'Be brief.',
        messages: [{ role: 'user', content: { type: 'text', text: 'Two and two?' } }],
        maxTokens: 9,
      },
    }
    const shell = await asked(asking(sampling, sampling))
    await shell.enter('x__ask', '"x" wants a model to answer.')
    await shell.see('| Be brief.')
    await shell.see('| Two and two?')
    shell.type(enter)
    await shell.see('Your answer')
    shell.type(`four${enter}`)
    await shell.see('"x" wants a model to answer.')
    shell.type(`${down}${enter}`)
    await shell.see('"text":"four"')
    await shell.see('"code":-1')
    expect(await shell.finish()).toBe(0)
  })

  test('T18 cannot move the cursor or hide text with what it asks', async () => {
    const evil = '\u001B[2J\u001B]0;owned\u0007\r\u202Etxt\u200B'
    const shell = await asked(
      asking(form({ [`f${evil}`]: { type: 'string', title: `t${evil}` } }, [], `m${evil}\n? fake`)),
    )
    await shell.enter('x__ask', '| m\\x1b[2J\\x1b]0;owned\\x07\\r\\u{202e}txt\\u{200b}')
    await shell.see('| ? fake')
    await shell.see('◆  What do you say?')
    shell.type(enter)
    await shell.see('t\\x1b[2J')
    expect(shell.raw()).not.toContain('\u001B[2J')
    expect(shell.raw()).not.toContain('\u001B]0;')
    expect(shell.raw()).not.toContain('\u202E')
    shell.type(ctrlC)
    await shell.see('"action":"cancel"')
    expect(await shell.finish()).toBe(0)
  })

  test('T18 T20 cannot put lines into a question that look like ours', async () => {
    const title = `City\n└\n\n${shellPrompt}login bank\n◆  Send money?`
    const shell = await asked(asking(form({ city: { type: 'string', title } })))
    await shell.enter('x__ask', '◆  What do you say?')
    shell.type(enter)
    await shell.see(`◆  City\\n└\\n\\n${shellPrompt}login bank\\n◆  Send money?`)
    shell.type(ctrlC)
    await shell.see('"action":"cancel"')
    expect(await shell.finish()).toBe(0)
  })

  test('keys that were pressed before a question are no answer to it', async () => {
    const shell = await asked(asking(form({ a: { type: 'string' } })))
    shell.type('x__ask\r\r\r\r')
    await shell.see('◆  What do you say?')
    shell.type(`${down}${enter}`)
    await shell.see('"action":"decline"')
    expect(await shell.finish()).toBe(0)
  })
})
