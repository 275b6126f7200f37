import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { holdsSecret } from '../src/config/edit/check-server.ts'
import { redactCommand, redactText, redactWords } from '../src/config/redact-text.ts'
import type { Server } from '../src/model/server.ts'
import type { NewTransport } from '../src/sources/entries/write-rules.ts'
import { createPerson } from './support/person.ts'

/** A value of a configuration, and what a person says it is. */
interface Labelled {
  /** `arg=`: name and value in one word. `userinfo`: the password of a url. */
  readonly where: 'env' | 'header' | 'arg' | 'arg=' | 'url' | 'userinfo'
  readonly name: string
  readonly value: string
  readonly is: 'secret' | 'example' | 'none'
}

const samples = JSON.parse(
  readFileSync(new URL('fixtures/secrets/labelled-values.json', import.meta.url), 'utf8'),
) as readonly Labelled[] // written for this test

function toEntry({ where, name, value }: Labelled): object {
  const url = 'https://a.example.com/mcp'
  if (where === 'env') return { command: 'x', env: { [name]: value } }
  if (where === 'arg') return { command: 'x', args: [...(name === '' ? [] : [name]), value] }
  if (where === 'arg=') return { command: 'x', args: [`${name}=${value}`] }
  if (where === 'header') return { type: 'http', url, headers: { [name]: value } }
  if (where === 'url') return { type: 'http', url: `${url}?${name}=${value}` }
  return { type: 'http', url: `https://dana:${value}@a.example.com/mcp` }
}

const mcpServers = Object.fromEntries(samples.map((sample, index) => [`s${index}`, toEntry(sample)]))
const person = createPerson({ '~/.claude.json': { mcpServers } })
const { servers, diagnostics } = await person.discover({ sources: ['claude-code'] })
const reports = diagnostics.filter(({ code }) => code === 'plaintext-secret')
const judged = new Map(
  reports.map(({ server, message }) => [server, message.includes('example') ? 'example' : 'secret']),
)

test('plaintext-secret: none of more than 200 labelled values is judged wrong', () => {
  expect(samples.length).toBeGreaterThan(200)
  const wrong = samples.flatMap((sample, index) => {
    const judgement = judged.get(`s${index}`) ?? 'none'
    return judgement === sample.is ? [] : [{ ...sample, judgement }]
  })
  expect(wrong).toEqual([])
})

test('T35 what is reported as a secret is masked wherever it is shown', () => {
  const shown = samples.filter((sample, index) => {
    const server = servers.find(({ name }) => name === `s${index}`)
    if (!server || judged.get(server.name) !== 'secret') return false
    const { transport } = server
    const texts =
      transport.kind === 'stdio'
        ? [redactCommand(transport.command, transport.args), ...redactAll(transport.env)]
        : [redactText(transport.url), ...redactAll(transport.headers)]
    return texts.some((text) => text.includes(secretPartOf(sample)))
  })
  expect(shown).toEqual([])
})

function redactAll(values: Readonly<Record<string, unknown>> = {}): readonly string[] {
  return Object.entries(values).map(([name, value]) => redactText(String(value), name))
}

/** The secret without what surrounds it in a url, header or connection string. */
function secretPartOf({ value }: Labelled): string {
  const inside =
    /\/\/[^/]*?:([^/]+)@|(?:password|pwd|AccountKey|SharedAccessKey|api_key)=([^;&\s]+)|^[\w-]+:\s*(?:Bearer )?([^/\s]+)$|^(?:Bearer|Basic|token) (.+)$/i
  return inside.exec(value)?.slice(1).find(Boolean) ?? value
}

function isRefused({ name, transport }: Server): boolean {
  return holdsSecret({ name, transport: transport as NewTransport }) // none of these is given in code
}

test('T09 the guard of shared files refuses what is reported as a secret, and nothing else', () => {
  const refused = servers.filter(isRefused).map(({ name }) => name)
  const secrets = servers.filter(({ name }) => judged.get(name) === 'secret').map(({ name }) => name)
  expect(refused).toEqual(secrets)
})

test('T35 the mask leaves the sentences about literal secrets as they are', () => {
  const messages = reports.map(({ message }) => message)
  expect(messages.map((message) => redactWords(message))).toEqual(messages)
})
