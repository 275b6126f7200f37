import type { SampleGrant, SampleRequest } from '../../agent.ts'
import { findingWarnings } from '../facts/findings/shown-finding.ts'
import type { StoredFinding } from '../facts/findings/shown-finding.ts'
import { indentText } from './indent-text.ts'
import { escapeLine } from './escape.ts'
import type { Answer, Prompts } from './terminal-prompts.ts'

interface SampleTerminal {
  readonly prompts: Prompts
  readonly show: (text: string) => void
}

type AskedSample = Omit<SampleRequest, 'canWait' | 'findings'> & {
  readonly findings?: readonly StoredFinding[]
}

/** Asks a person whether a server may use the model, and shows everything that the model would get (T21). */
export function askSample(
  { server, model, system, messages, maxTokens, findings }: AskedSample,
  { prompts, show }: SampleTerminal,
): Promise<Answer<SampleGrant>> {
  show(`"${escapeLine(server)}" wants to use the model ${escapeLine(model)}, for up to ${maxTokens} tokens:`)
  if (system !== undefined) show(`instructions:\n${indentText(system)}`)
  for (const { role, text } of messages) show(`${role}:\n${indentText(text)}`)
  for (const warning of findingWarnings(findings)) show(warning)
  return prompts.select<SampleGrant>({
    message: `Let "${server}" use the model?`,
    choices: [
      { value: 'no', label: 'no' },
      { value: 'once', label: 'yes, this once' },
      { value: 'conversation', label: 'yes, in this conversation', hint: 'within its budget' },
    ],
    initial: 'no',
  })
}
