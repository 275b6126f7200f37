import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { read } from './support/read.ts'

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

test('plaintext-secret: at most 5 % of more than 200 labelled values are judged wrong', async () => {
  expect(samples.length).toBeGreaterThan(200)
  const mcpServers = Object.fromEntries(samples.map((sample, index) => [`s${index}`, toEntry(sample)]))
  const { diagnostics } = await read('claude-code', { '.mcp.json': { mcpServers } })
  const judged = new Map(
    diagnostics
      .filter(({ code }) => code === 'plaintext-secret')
      .map(({ server, message }) => [server, String(message).includes('example') ? 'example' : 'secret']),
  )
  const wrong = samples.flatMap((sample, index) => {
    const judgement = judged.get(`s${index}`) ?? 'none'
    return judgement === sample.is ? [] : [{ ...sample, judgement }]
  })
  const rate = wrong.length / samples.length
  expect(rate <= 0.05 ? [] : wrong).toEqual([])
  // A secret must not be missed, nor a harmless value be called one, more often than that either.
  const missed = wrong.filter((each) => each.is === 'secret' && each.judgement === 'none')
  const alarms = wrong.filter((each) => each.is === 'none')
  expect(missed.length / samples.filter((each) => each.is === 'secret').length).toBeLessThanOrEqual(0.05)
  expect(alarms.length / samples.filter((each) => each.is === 'none').length).toBeLessThanOrEqual(0.05)
})
