import type { Elicit, Elicitation, ElicitationAnswer, JsonObject } from '../../index.ts'
import { redactText } from '../../internal.ts'
import { loadPatternTest } from '../facts/forms/check-field.ts'
import { findingWarnings } from '../facts/findings/shown-finding.ts'
import { inspectAddress } from '../facts/inspect-address.ts'
import { readQuestionForm } from '../facts/question-form.ts'
import type { QuestionField } from '../facts/question-form.ts'
import { escapeLine, escapeText } from '../terminal/escape.ts'
import { indentText } from '../terminal/indent-text.ts'
import type { Style } from '../terminal/style.ts'
import { fillForm } from './fill-form.ts'
import type { Dialog, Questions } from './questions.ts'

interface ElicitContext {
  readonly questions: Questions
  readonly style: () => Style
  /** The file that declares the server; shown with its question. */
  readonly placeOf: (server: string) => string
}

/** Shows an elicitation to the person, with the name of the server that asks; they may always decline (T20). */
export function createElicit(context: ElicitContext): Elicit {
  return async (elicitation, { signal }) => {
    const handler = elicitation.mode === 'url' ? preparePage(elicitation) : prepareForm(elicitation)
    if (typeof handler === 'string') {
      context.questions.notify(`"${elicitation.server}" ${handler} It was declined.`)
      return { action: 'decline' }
    }
    const { server } = elicitation
    const answer = await context.questions.ask({ server, signal }, (dialog) =>
      handler(dialog, elicitation, context),
    )
    return answer === 'refused' ? { action: 'decline' } : answer
  }
}

/** Why an elicitation is declined without asking (T20); undefined if it may be asked. */
export function refuseElicitation(elicitation: Elicitation): string | undefined {
  const handler = elicitation.mode === 'url' ? preparePage(elicitation) : prepareForm(elicitation)
  return typeof handler === 'string' ? handler : undefined
}

/** Asks one elicitation that passed the checks. A text in its place is the reason for declining it. */
type QuestionHandler = (
  dialog: Dialog,
  elicitation: Elicitation,
  context: ElicitContext,
) => Promise<ElicitationAnswer>

function prepareForm({ schema = {} }: Elicitation): QuestionHandler | string {
  const fields = readQuestionForm(schema)
  if (typeof fields === 'string') return `sent a form that cannot be shown: ${fields}.`
  const secret = fields.find(isSecret)
  if (secret) {
    const what = JSON.stringify(secret.title)
    return `asked for ${what} in a form. Servers must not ask for secrets in a form: a login needs a page.`
  }
  return (dialog, elicitation, context) => askForm(fields, dialog, elicitation, context)
}

function isSecret({ name, title, description = '' }: QuestionField): boolean {
  const sample = 'k3y-of-somebody'
  const isSecretName = (word: string) => redactText(sample, word) !== sample || /\bpin\b/i.test(word)
  return [name, title].some(isSecretName) || [name, title, description].some((text) => asksSecret.test(text))
}

/** Words that ask for a secret wherever they occur, also in a description. */
const asksSecret = /\b(?:password|passphrase|passcode|cvv|cvc|private key|(?:seed|recovery) phrase)\b/i

async function askForm(
  fields: readonly QuestionField[],
  dialog: Dialog,
  elicitation: Elicitation,
  context: ElicitContext,
): Promise<ElicitationAnswer> {
  showQuestion(dialog, elicitation, context)
  const { prompts } = dialog
  // A form without fields is only a confirmation: Enter alone must not confirm it.
  const initial = fields.length === 0 ? 'decline' : 'yes'
  const choice = await chooseResponse(dialog, elicitation.server, { yes: 'Answer it', initial })
  if (choice !== 'yes') return { action: choice }
  const content = await fillForm(fields, { prompts, matchesPattern: await loadPatternTest() })
  if (!content) return { action: 'cancel' }
  if (fields.length === 0) return { action: 'accept', content }
  dialog.show(drawContent(content))
  const isSent = await prompts.confirm({ message: `Send this to "${elicitation.server}"?`, initial: true })
  if (isSent.cancelled) return { action: 'cancel' }
  return isSent.value ? { action: 'accept', content } : { action: 'decline' }
}

function preparePage({ url = '' }: Elicitation): QuestionHandler | string {
  const address = inspectAddress(url)
  if (typeof address === 'string') return `asked to open an address that ${address}: ${JSON.stringify(url)}.`
  return async (dialog, elicitation, context) => {
    const style = context.style()
    showQuestion(dialog, elicitation, context)
    const { before, host, after, warnings } = address
    dialog.show(
      `It wants you to open:\n  ${escapeLine(before)}${style.bold(escapeLine(host))}${escapeLine(after)}`,
    )
    dialog.show(`This page is on ${style.bold(escapeLine(host))}.`)
    for (const warning of warnings) dialog.show(style.yellow(`Look closely: ${escapeLine(warning)}`))
    const choice = await chooseResponse(dialog, elicitation.server, {
      yes: 'I will open it myself',
      initial: 'decline',
    })
    return { action: choice === 'yes' ? 'accept' : choice }
  }
}

function showQuestion(
  { show }: Dialog,
  { server, message, findings }: Elicitation,
  { style, placeOf }: ElicitContext,
): void {
  show(`${style().bold(`"${escapeLine(server)}"`)} asks (it is declared in ${escapeLine(placeOf(server))}):`)
  show(indentText(message))
  for (const warning of findingWarnings(findings)) show(style().yellow(warning))
}

type ResponseChoice = 'yes' | 'decline' | 'cancel'

interface ResponseOptions {
  readonly yes: string
  /** The choice that Enter alone takes. */
  readonly initial: 'yes' | 'decline'
}

export async function chooseResponse(
  { prompts, refuseAll }: Dialog,
  server: string,
  { yes, initial }: ResponseOptions,
): Promise<ResponseChoice> {
  const answer = await prompts.select<'yes' | 'decline' | 'all'>({
    message: 'What do you want to do?',
    choices: [
      { value: 'yes', label: yes },
      { value: 'decline', label: 'Decline' },
      { value: 'all', label: `Decline this and all further questions from "${server}"` },
    ],
    initial,
  })
  if (answer.cancelled) return 'cancel'
  if (answer.value !== 'all') return answer.value
  refuseAll()
  return 'decline'
}

function drawContent(content: JsonObject): string {
  const rows = Object.entries(content).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)
  return escapeText(['Your answer:', ...rows].join('\n'))
}
