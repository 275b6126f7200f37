import type { Elicit, Elicitation, ElicitationAnswer, JsonObject } from '../../index.ts'
import { redactText } from '../../internal.ts'
import { escapeLine, escapeText } from '../terminal/escape.ts'
import type { Style } from '../terminal/style.ts'
import { loadFits } from './check-field.ts'
import { fillForm } from './fill-form.ts'
import { readForm } from './form.ts'
import type { Field } from './form.ts'
import { lookAtAddress } from './inspect-address.ts'
import type { Asking, Questions } from './questions.ts'

interface Context {
  readonly questions: Questions
  readonly style: () => Style
  /** Where a server is declared, for a person who wonders who asks. */
  readonly placeOf: (server: string) => string
}

/** Puts what a server wants to know before the person, who sees who asks, and may always say no (T20). */
export function createElicit(context: Context): Elicit {
  return async (elicitation, { signal }) => {
    const found = elicitation.mode === 'url' ? lookAtUrl(elicitation) : lookAtForm(elicitation)
    if (typeof found === 'string') {
      context.questions.tell(`"${elicitation.server}" ${found} It was declined.`)
      return { action: 'decline' }
    }
    const { server } = elicitation
    const answer = await context.questions.ask({ server, signal }, (asking) =>
      found(asking, elicitation, context),
    )
    return answer === 'refused' ? { action: 'decline' } : answer
  }
}

type AskPerson = (asking: Asking, elicitation: Elicitation, context: Context) => Promise<ElicitationAnswer>

function lookAtForm({ schema = {} }: Elicitation): AskPerson | string {
  const fields = readForm(schema)
  if (typeof fields === 'string') return `asked with a form that cannot be shown: ${fields}.`
  const secret = fields.find(isSecret)
  if (secret) {
    const what = JSON.stringify(secret.title)
    return `asked for ${what} in a form. Servers may not ask for secrets like that: a login goes through a page.`
  }
  return (asking, elicitation, context) => askForm(fields, asking, elicitation, context)
}

function isSecret({ name, title, description = '' }: Field): boolean {
  const sample = 'k3y-of-somebody'
  const isSecretName = (word: string) => redactText(sample, word) !== sample || /\bpin\b/i.test(word)
  return [name, title].some(isSecretName) || [name, title, description].some((text) => asksSecret.test(text))
}

/** Words that are harmless in no description either. */
const asksSecret = /\b(?:password|passphrase|passcode|cvv|cvc|private key|(?:seed|recovery) phrase)\b/i

async function askForm(
  fields: readonly Field[],
  asking: Asking,
  elicitation: Elicitation,
  context: Context,
): Promise<ElicitationAnswer> {
  showQuestion(asking, elicitation, context)
  const { prompts } = asking
  // Where a yes alone is an answer, Enter by itself is none.
  const initial = fields.length === 0 ? 'decline' : 'yes'
  const choice = await chooseHow(asking, elicitation.server, { yes: 'Answer it', initial })
  if (choice !== 'yes') return { action: choice }
  const content = await fillForm(fields, { prompts, fits: await loadFits() })
  if (!content) return { action: 'cancel' }
  if (fields.length === 0) return { action: 'accept', content }
  asking.show(drawContent(content))
  const sends = await prompts.confirm({ message: `Send this to "${elicitation.server}"?`, initial: true })
  if (sends.cancelled) return { action: 'cancel' }
  return sends.value ? { action: 'accept', content } : { action: 'decline' }
}

function lookAtUrl({ url = '' }: Elicitation): AskPerson | string {
  const address = lookAtAddress(url)
  if (typeof address === 'string') return `asked to open an address that ${address}: ${JSON.stringify(url)}.`
  return async (asking, elicitation, context) => {
    const style = context.style()
    showQuestion(asking, elicitation, context)
    const { before, host, after, warnings } = address
    asking.show(
      `It wants you to open:\n  ${escapeLine(before)}${style.bold(escapeLine(host))}${escapeLine(after)}`,
    )
    asking.show(`That is a page of ${style.bold(escapeLine(host))}.`)
    for (const warning of warnings) asking.show(style.yellow(`Look closely: ${escapeLine(warning)}`))
    const choice = await chooseHow(asking, elicitation.server, {
      yes: 'I open it myself',
      initial: 'decline',
    })
    return { action: choice === 'yes' ? 'accept' : choice }
  }
}

function showQuestion({ show }: Asking, { server, message }: Elicitation, { style, placeOf }: Context): void {
  show(`${style().bold(`"${escapeLine(server)}"`)} asks (it is declared in ${escapeLine(placeOf(server))}):`)
  show(indent(message))
}

/** Every line of a server's text is set off, so that none looks like one of ours. */
export function indent(text: string): string {
  return escapeText(text)
    .split('\n')
    .map((line) => `  | ${line}`)
    .join('\n')
}

type How = 'yes' | 'decline' | 'cancel'

interface Offer {
  readonly yes: string
  /** What Enter alone stands for. */
  readonly initial: 'yes' | 'decline'
}

export async function chooseHow(
  { prompts, refuseAll }: Asking,
  server: string,
  { yes, initial }: Offer,
): Promise<How> {
  const answer = await prompts.select<'yes' | 'decline' | 'all'>({
    message: 'What do you say?',
    choices: [
      { value: 'yes', label: yes },
      { value: 'decline', label: 'Decline' },
      { value: 'all', label: `Decline, and everything else that "${server}" asks now` },
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
  return escapeText(['You answer:', ...rows].join('\n'))
}
