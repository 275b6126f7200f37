import { Check, Copy } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { copy } from '../state/announce.ts'

export interface CopyButtonProps {
  readonly text: string | (() => string)
  /** What is copied: `Copy path`. */
  readonly label?: string
}

export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  const onClick = async (): Promise<void> => {
    await copy(typeof text === 'string' ? text : text())
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={() => void onClick()}>
      {isCopied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
    </button>
  )
}

/** A command of the terminal, to copy. */
export function CommandText({ command }: { readonly command: string }) {
  return (
    <span class="command">
      <code>{command}</code>
      <CopyButton text={command} label="Copy command" />
    </span>
  )
}
