import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { hasSecret, openHistory } from './history.ts'

const folder = mkdtempSync(join(tmpdir(), 'plugboard-history-'))
const file = join(folder, 'state', 'history')
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  'add a --url https://a.example --token abc',
  'add a --url https://a.example --token=abc',
  'add a --url https://a.example --header Authorization="Bearer abcdefgh12345678"',
  'add a --input pin=1234 -- npx a',
  'test a --input=pin=1234',
  'add a --env API_KEY=abcdef123456 -- npx a',
  'x__login password=hunter2hunter2',
  'x__login {"api_key": "abcdef123456"}',
  'call x/y token=ghp_abcdefghijklmnopqrstuvwxyz0123456789',
])('hasSecret: true for %j', (line) => {
  expect(hasSecret(line)).toBe(true)
})

test.each([
  'tools',
  'x__find q=1',
  'add a --url https://a.example --token ${TOKEN}',
  'why token',
  'x__find {"q": "key"}',
])('hasSecret: false for %j', (line) => {
  expect(hasSecret(line)).toBe(false)
})

test('openHistory: lines are newest first, without duplicates; the file is private', () => {
  const history = openHistory(file)
  for (const line of ['one', 'two', 'one', '', 'x password=hunter2hunter2']) history.add(line)
  expect(history.lines()).toEqual(['x password=hunter2hunter2', 'one', 'two'])
  expect(openHistory(file).lines()).toEqual(['one', 'two'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('T18 openHistory: lines with control characters are neither stored nor loaded', () => {
  const history = openHistory(file)
  history.add('tools \u001B[2J')
  history.add('tools')
  expect(history.lines()).toEqual(['tools'])
  writeFileSync(file, 'one\ntwo\u001B[2J\n\u202Ethree\n')
  expect(openHistory(file).lines()).toEqual(['one'])
})

test('openHistory: a long history is cut to its newest 1000 lines', () => {
  openHistory(file).add('first')
  writeFileSync(file, Array.from({ length: 2500 }, (_, at) => `line ${at}\n`).join(''))
  expect(openHistory(file).lines()).toHaveLength(1000)
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(1001)
})

test('openHistory: a line with a value that is known as a secret is not written', () => {
  const history = openHistory(file, (line) => line.replaceAll('open-sesame', '•••'))
  history.add('one')
  history.add('say open-sesame twice')
  expect(history.lines()[0]).toBe('say open-sesame twice')
  expect(readFileSync(file, 'utf8')).not.toContain('open-sesame')
})

test('openHistory: works in memory if the file cannot be read or written', () => {
  const history = openHistory('/dev/null/history')
  history.add('one')
  expect(history.lines()).toEqual(['one'])
})

test('openHistory: a line with a secret that only the host knows is not stored', () => {
  const history = openHistory(file, (line) => line.replaceAll('corpkey-1', '•••'))
  for (const line of ['one', 'my key is corpkey-1']) history.add(line)
  expect(history.lines()).toHaveLength(2)
  expect(readFileSync(file, 'utf8')).toBe('one\n')
})
