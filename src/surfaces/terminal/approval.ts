import type { ApprovalQuestion, Grant } from '../../index.ts'
import { escapeLine, escapeText } from './escape.ts'
import type { Answer, Prompts } from './terminal-prompts.ts'

interface ApprovalTerminal {
  readonly prompts: Prompts
  readonly show: (text: string) => void
  /** The label of the grant for the whole conversation; absent if there is no conversation. */
  readonly conversation?: string
}

/** The part of the question that a person sees. */
type ShownApproval = Pick<ApprovalQuestion, 'args' | 'reason'> & { readonly tool: { readonly ref: string } }

/** Asks a person to approve one call: shows everything it would send (T10) and offers the grants. */
export function askApproval(
  { tool, args, reason }: ShownApproval,
  { prompts, show, conversation }: ApprovalTerminal,
): Promise<Answer<Grant | 'no'>> {
  show(escapeLine(reason))
  show(escapeText(`${tool.ref} ${JSON.stringify(args, undefined, 2)}`))
  return prompts.select<Grant | 'no'>({
    message: `Call ${tool.ref}?`,
    choices: [
      { value: 'no', label: 'no' },
      { value: 'once', label: 'yes, this once' },
      ...(conversation === undefined ? [] : [{ value: 'conversation', label: conversation } as const]),
      { value: 'always', label: 'yes, always', hint: 'until the tool or its entry changes' },
    ],
    initial: 'no',
  })
}
