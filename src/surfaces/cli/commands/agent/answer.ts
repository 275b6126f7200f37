import type { ElicitationAnswer, Json, JsonObject } from '../../../../index.ts'
import { foldValues, hashOf, isObject, listOf } from '../../../../internal.ts'
import type { Question, Questions } from '../../../../store.ts'
import { askApproval } from '../../../terminal/approval.ts'
import { escapeLine } from '../../../terminal/escape.ts'
import { askSample } from '../../../terminal/sample-approval.ts'
import { createStyle } from '../../../terminal/style.ts'
import type { Output } from '../../../terminal/terminal-output.ts'
import { requirePerson } from '../../agent-environment.ts'
import { outputOf, promptsOf } from '../../command-context.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import { EarlyExit } from '../../errors.ts'
import {
  decisionOf,
  holdsSecret,
  notShownWhole,
  secretInAddress,
  secretInAnswer,
  settledBefore,
  shortId,
  summaryOf,
  textOf,
  unknownQuestion,
} from '../../../facts/question-texts.ts'
import { readApproval } from '../../../facts/approval-details.ts'
import { readFindings } from '../../../facts/findings/shown-finding.ts'
import { findQuestion, withQuestions } from './open-questions.ts'

/** Answers a question of another process, at a terminal only (T48). */
export async function answer(cli: Cli, flags: CommonFlags, id: string): Promise<void> {
  requirePerson(cli, 'Nothing was answered: only a person may.')
  const output = outputOf(cli, flags)
  const settled = await withQuestions(cli, async (questions) => {
    const question = await findQuestion(questions, id)
    const given = await ask({ cli, flags, output }, question)
    await store(questions, question, given)
    return { question, given }
  })
  // Without a store nothing waits.
  if (!settled) throw unknownQuestion(id)
  const { question, given } = settled
  output.result(
    { id: question.id, kind: question.kind, answer: decisionOf(given) },
    () => `Answered ${shortId(question)}: ${decisionOf(given)}.`,
  )
  const { isWaiting, kind, conversation = '' } = question
  if (!isWaiting && kind !== 'login')
    output.note(
      `No program waits for it now. It counts once, when the conversation goes on and the same is asked: plugboard chat --continue ${conversation.slice(0, 8)}`.trim(),
    )
  await output.flush()
}

async function store(questions: Questions, question: Question, given: Json): Promise<void> {
  // A login settles all questions for it by itself.
  if ((await questions.answer(question.id, given)) || given === true) return
  throw settledBefore((await questions.get(question.id)) ?? { ...question, state: 'expired' })
}

interface AnswerContext {
  readonly cli: Cli
  readonly flags: CommonFlags
  readonly output: Output
}

async function ask(context: AnswerContext, question: Question): Promise<Json> {
  const { cli, flags, output } = context
  const { kind, server = '', conversation } = question
  const asked: JsonObject = isObject(question.asked) ? question.asked : {}
  const terminal = { prompts: promptsOf(cli), show: (text: string) => output.show(text) }
  // Whoever says yes has seen everything that runs, and everything that a model is sent.
  if ((kind === 'approval' || kind === 'sampling') && asked['masked'] === true)
    throw new EarlyExit(
      'failed',
      `${notShownWhole} It is: ${escapeLine(summaryOf(kind, foldValues(asked, 300).value))}`,
    )
  const client = textOf(asked['client'])
  if (client !== '') output.show(`For ${escapeLine(client)}, a client of the gateway.`)
  switch (kind) {
    case 'approval': {
      const args = isObject(asked['args']) ? asked['args'] : {}
      const { annotations, rule } = readApproval(asked)
      const tool = { ref: textOf(asked['ref']), ...(annotations && { annotations }) }
      const about = { tool, args, reason: textOf(asked['reason']), ...(rule && { rule }) }
      const label = conversation === undefined ? {} : { conversation: 'yes, in this conversation' }
      const isOnce = asked['grants'] === 'once'
      return chosen(await askApproval(about, { ...terminal, ...label, isOnce }))
    }
    case 'sampling': {
      const messages = listOf(asked['messages']).map(readMessage)
      const system = asked['system'] === undefined ? {} : { system: textOf(asked['system']) }
      const maxTokens = typeof asked['maxTokens'] === 'number' ? asked['maxTokens'] : 0
      const model = textOf(asked['model'])
      const findings = readFindings(asked)
      return chosen(await askSample({ server, model, messages, maxTokens, findings, ...system }, terminal))
    }
    case 'login': {
      output.show(`"${escapeLine(server)}" needs a login: ${escapeLine(textOf(asked['reason']))}`)
      const isWanted = chosen(
        await terminal.prompts.confirm({ message: `Log in to "${server}" now?`, initial: true }),
      )
      if (!isWanted) return false
      const { login } = await import('../connections/login.ts')
      const { scope: _scope, ...common } = flags
      await login(cli, { ...common, json: false }, server)
      return true
    }
    case 'elicitation':
    case 'url':
      return { ...(await elicit(context, question, asked)) }
    default:
      return kind satisfies never
  }
}

function chosen<T>(
  answer: { readonly cancelled: true } | { readonly cancelled: false; readonly value: T },
): T {
  if (answer.cancelled) throw new EarlyExit('cancelled', 'Cancelled. The question still waits.')
  return answer.value
}

function readMessage(message: Json): { readonly role: 'user' | 'assistant'; readonly text: string } {
  const { role, text } = isObject(message) ? message : {}
  return { role: role === 'assistant' ? role : 'user', text: textOf(text) }
}

/** The same prompts and checks as in the shell (T20). */
async function elicit(
  { cli, output }: AnswerContext,
  { kind, server = '' }: Question,
  asked: JsonObject,
): Promise<ElicitationAnswer> {
  const [{ createElicit }, { Turns, createQuestions }] = await Promise.all([
    import('../../../shell/elicit.ts'),
    import('../../../shell/questions.ts'),
  ])
  const questions = createQuestions({
    turns: new Turns(),
    notify: (text) => output.warn(text),
    show: (text) => output.show(text),
    promptsFor: (signal) => ({ ...promptsOf(cli, signal), [Symbol.dispose]: () => undefined }),
    onWanted: () => undefined,
    onAsking: () => undefined,
  })
  const style = createStyle({ env: cli.process.env, isTTY: true })
  const placeOf = () => textOf(asked['from']) || 'a file of the program that asks'
  const prompt = createElicit({ questions, style: () => style, placeOf })
  const message = textOf(asked['message'])
  const subject = { kind: 'elicitation', server } as const
  const findings = readFindings(asked).map((finding) => ({ ...finding, subject }))
  const { signal } = new AbortController()
  if (kind === 'url') {
    const url = textOf(asked['url'])
    if (hashOf(url) !== asked['urlHash']) throw new EarlyExit('failed', secretInAddress)
    return prompt({ server, mode: 'url', message, url, findings }, { signal })
  }
  const schema = isObject(asked['schema']) ? asked['schema'] : {}
  const given = await prompt({ server, mode: 'form', message, schema, findings }, { signal })
  if (given.action === 'cancel') throw new EarlyExit('cancelled', 'Cancelled. The question still waits.')
  if (holdsSecret(given)) throw new EarlyExit('failed', secretInAnswer)
  return given
}
