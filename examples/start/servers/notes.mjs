// A complete MCP server over stdio: one line of JSON in, one line of JSON out.
import { createInterface } from 'node:readline'
import { createAnswer } from './answer.mjs'

const notes = ['Buy milk', 'Water the plants', 'Ask Ida about the milk cans']

const answer = createAnswer('notes', [
  {
    name: 'search',
    description: 'Finds notes that contain a text.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'what to look for' } },
      required: ['text'],
    },
    annotations: { readOnlyHint: true },
    run({ text = '' }) {
      const found = notes.filter((note) => note.toLowerCase().includes(text.toLowerCase()))
      return found.join('\n') || 'Nothing found.'
    },
  },
  {
    name: 'add',
    description: 'Writes a note down.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    run: ({ text }) => `Note ${notes.push(text)} is kept.`,
  },
])

for await (const line of createInterface({ input: process.stdin })) {
  const reply = answer(JSON.parse(line))
  if (reply) process.stdout.write(`${JSON.stringify(reply)}\n`)
}
