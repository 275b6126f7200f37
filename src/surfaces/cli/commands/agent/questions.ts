import type { Question } from '../../../../store.ts'
import { renderTable } from '../../../terminal/table.ts'
import type { Canvas } from '../../../terminal/terminal-output.ts'
import { outputOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import { shortId, summaryOf } from '../../../facts/question-texts.ts'
import { withQuestions } from './open-questions.ts'

/** How many expired questions are shown, the newest, and for how long. */
const maxExpired = 20
const shownMs = 7 * 24 * 3_600_000

/** Lists the questions that wait for an answer, and those that expired without one. */
export async function questions(cli: Cli, flags: CommonFlags): Promise<void> {
  const output = outputOf(cli, flags)
  const found = await cli.signals.guard(() =>
    withQuestions(cli, async (stored) => ({
      pending: await stored.list({ state: 'pending' }),
      expired: await stored.list({ state: 'expired', limit: maxExpired, order: 'newest' }),
    })),
  )
  const { pending = [], expired = [] } = found ?? {}
  const isRecent = ({ askedAt, settledAt = askedAt }: Question) =>
    Date.parse(settledAt) > Date.now() - shownMs
  const all = [...pending, ...expired.filter(isRecent)]
  if (flags.json || all.length > 0)
    output.result({ questions: all.map(toJson) }, (canvas) => draw(all, canvas))
  if (pending[0]) output.note(`Answer one: plugboard answer ${shortId(pending[0])}`)
  else output.note('No question waits for an answer.')
  await output.flush()
}

function draw(rows: readonly Question[], { style, width }: Canvas): string {
  return renderTable<Question>(
    [
      { title: 'ID', value: shortId, fit: 'essential', paint: style.bold },
      {
        title: 'STATE',
        value: ({ state }) => state,
        paint: (text, { state }) => (state === 'pending' ? style.yellow(text) : style.dim(text)),
      },
      { title: 'KIND', value: ({ kind }) => kind },
      { title: 'SERVER', value: ({ server = '' }) => server, fit: { shrinkTo: 10 } },
      { title: 'ASKED', value: ({ askedAt }) => askedAt.slice(0, 16).replace('T', ' ') },
      { title: 'WHAT', value: ({ kind, asked }) => summaryOf(kind, asked), fit: { shrinkTo: 14 } },
    ],
    rows,
    { width, paintTitle: style.dim },
  )
}

/** Without the answer, which is the asker's. */
function toJson(question: Question): object {
  const { answer: _answer, ...shown } = question
  return shown
}
