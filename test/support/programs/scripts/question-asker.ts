/** A process that asks questions and waits for their answers. Bundled and run by `processes.ts`. */
import { createQuestionDesk } from '../../../../src/agent/question-desk.ts'
import { nodePlatform } from '../../../../src/platform/node/node-platform.ts'
import type { ApprovalQuestion } from '../../../../src/index.ts'
import { openStore } from '../../../../src/store/sql-store.ts'

const { file, kinds } = JSON.parse(process.argv[2] ?? '') as { file: string; kinds: readonly string[] }
const store = await openStore({ platform: nodePlatform({}), redact: (text) => text, at: { file } })
if (!store) throw new Error('no driver')
let asked = 0
const desk = createQuestionDesk({
  questions: store.questions,
  conversation: () => 'c1',
  on({ type }) {
    if (type === 'question.asked' && ++asked === kinds.length) process.stdout.write('asked\n')
  },
})
const { signal } = new AbortController()
const tool = { ref: 'notes/add', name: 'notes__add', server: 'notes' }
const approval = {
  tool,
  args: { text: 'milk' },
  reason: 'It may write.',
  boundTo: 'd1',
} as unknown as ApprovalQuestion // the part that a desk uses
const form = {
  server: 'trip',
  mode: 'form',
  message: 'Where to?',
  schema: { type: 'object', properties: { city: { type: 'string' } } },
} as const
const ask = { approval: () => desk.approve(approval, { signal }), form: () => desk.elicit(form, { signal }) }
const answers = await Promise.all(kinds.map((kind) => (kind === 'form' ? ask.form() : ask.approval())))
await desk.close()
await store.close()
process.stdout.write(`${JSON.stringify(answers)}\n`)
