import type { ApprovalQuestion, Grant } from '../../index.ts'
import { foldValues } from '../../internal.ts'
import { approvalDetails } from '../facts/approval-details.ts'
import type { ApprovalAbout } from '../facts/approval-details.ts'
import { escapeLine, escapeText } from './escape.ts'
import type { Answer, Prompts } from './terminal-prompts.ts'

interface ApprovalTerminal {
  readonly prompts: Prompts
  readonly show: (text: string) => void
  /** The label of the grant for the whole conversation; absent if there is no conversation. */
  readonly conversation?: string
  /** It can be allowed for this call alone. */
  readonly isOnce?: boolean
}

/** The part of the question that a person sees. */
type ShownApproval = Pick<ApprovalQuestion, 'args' | 'reason'> &
  ApprovalAbout & { readonly tool: { readonly ref: string } }

/** Longer texts are folded, so that no argument scrolls away. */
const longestText = 1000

/**
 * Asks a person to approve one call: shows everything it would send (T10) and offers the grants. Of long texts it shows the
 * beginning, the end and the length, says so, and offers the rest.
 */
export async function askApproval(
  question: ShownApproval,
  { prompts, show, conversation, isOnce = false }: ApprovalTerminal,
): Promise<Answer<Grant | 'no'>> {
  const { tool, args, reason } = question
  const draw = (shown: unknown) => show(escapeText(`${tool.ref} ${JSON.stringify(shown, undefined, 2)}`))
  show(escapeLine(reason))
  for (const line of approvalDetails(question)) show(line)
  const { value, folded } = foldValues(args, longestText)
  draw(value)
  if (folded > 0) show(`${folded === 1 ? 'A long text is' : `${folded} long texts are`} not shown whole.`)
  for (let isWhole = folded === 0; ; isWhole = true) {
    const answer = await prompts.select<Grant | 'no' | 'whole'>({
      message: `Call ${tool.ref}?`,
      choices: [
        { value: 'no', label: 'no' },
        ...(isWhole ? [] : [{ value: 'whole', label: 'show everything, then ask again' } as const]),
        { value: 'once', label: 'yes, this once' },
        ...(conversation === undefined ? [] : [{ value: 'conversation', label: conversation } as const]),
        ...(isOnce
          ? []
          : [
              { value: 'always', label: 'yes, always', hint: 'until the tool or its entry changes' } as const,
            ]),
      ],
      initial: 'no',
    })
    if (answer.cancelled) return answer
    if (answer.value !== 'whole') return { cancelled: false, value: answer.value }
    draw(args)
  }
}
