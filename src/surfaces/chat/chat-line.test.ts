import { expect, test } from 'vitest'
import { readChatLine } from './chat-line.ts'

test.each([
  ['', { kind: 'nothing' }],
  ['What is here?', { kind: 'prompt', text: 'What is here?' }],
  ['tools', { kind: 'prompt', text: 'tools' }],
  [' /etc/hosts: what is it?', { kind: 'prompt', text: '/etc/hosts: what is it?' }],
  ['/switch files off', { kind: 'own', name: 'switch', rest: 'files off' }],
  ['/export', { kind: 'own', name: 'export', rest: '' }],
  ['/mcp export codex', { kind: 'shell', line: '/mcp export codex' }],
  ['/tools git*', { kind: 'shell', line: 'tools git*' }],
  ['/x__find q="a:b"', { kind: 'shell', line: 'x__find q="a:b"' }],
  ['/x.find(q: "a")', { kind: 'shell', line: 'x.find(q: "a")' }],
  ['/docs:review file=a.ts', { kind: 'server-prompt', name: '/docs:review', rest: 'file=a.ts' }],
  ['/help', { kind: 'own', name: 'help', rest: '' }],
  ['/help /switch', { kind: 'own', name: 'help', rest: 'switch' }],
  ['/help /call', { kind: 'shell', line: 'help call' }],
  ['/quit', { kind: 'own', name: 'leave', rest: '' }],
])('chat: the line %j means %j', (line, meaning) => {
  expect(readChatLine(line)).toEqual(meaning)
})
