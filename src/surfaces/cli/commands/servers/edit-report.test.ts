import { expect, test } from 'vitest'
import { hideInChanges } from './edit-report.ts'

test('T35 hideInChanges: literal secrets are hidden, everything else is kept', () => {
  const change = { file: '/p/mcp.json', mode: 0o600 }
  const before = '{"env":{"TOKEN":"hush"}}'
  const after = '{"env":{"TOKEN":"hush","PORT":"1"}}'
  expect(hideInChanges([{ ...change, before, after }])).toEqual([
    { ...change, before: '{"env":{"TOKEN":"•••"}}', after: '{"env":{"TOKEN":"•••","PORT":"1"}}' },
  ])
})
