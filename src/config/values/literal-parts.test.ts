import { expect, test } from 'vitest'
import { secretsInAddress, secretsInArguments } from './literal-parts.ts'

test('T35 secretsInAddress: parameters with the name of a secret and passwords, as written and decoded', () => {
  expect(secretsInAddress('https://a.example/mcp?api_key=q7Zk%2F9xW-41&page=2')).toEqual([
    'q7Zk%2F9xW-41',
    'q7Zk/9xW-41',
  ])
  expect(secretsInAddress('https://me:q7Zk9xW-41tt@a.example/mcp')).toEqual(['q7Zk9xW-41tt'])
  expect(secretsInAddress('https://a.example/mcp?api_key=q7Zk%ZZ9xW-41')).toEqual(['q7Zk%ZZ9xW-41'])
  expect(secretsInAddress('https://a.example/mcp?page=2&sort=name')).toEqual([])
})

test('T35 secretsInArguments: the value of an option with the name of a secret', () => {
  expect(
    secretsInArguments(['server.js', '--token', 'q7Zk9xW-41tt', '--api-key=q7Zk9xW-42tt', '--port', '80']),
  ).toEqual(['q7Zk9xW-41tt', 'q7Zk9xW-42tt'])
  expect(secretsInArguments(['--token', '${TOKEN}', 'plain'])).toEqual([])
})
