import type { RouteAnswer } from '../../../../src/client.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { FindingList } from '../../parts/finding-list.tsx'
import { ResultBlock } from '../../parts/result-block.tsx'
import { promptText, toShownBlock } from './prompt-text.ts'

/** What a prompt says, message by message. */
export function PromptMessages({
  filled,
  server,
}: {
  readonly filled: RouteAnswer<'POST /api/prompts/:ref'>
  readonly server: string
}) {
  return (
    <section class="prompt-messages" aria-label="Preview">
      {filled.description && <p class="dim">{filled.description}</p>}
      <FindingList findings={filled.findings} />
      {filled.messages.map((message, index) => (
        <div key={index} class="frame">
          <div class="result-bar">
            <span class="strong">{message.role}</span>
            <span class="grow" />
            <CopyButton text={() => promptText([message])} label="Copy the message" />
          </div>
          <div class="result-blocks">
            {message.blocks.map((block, at) => (
              <ResultBlock
                key={at}
                block={toShownBlock(block)}
                index={at}
                name="prompt"
                call={undefined}
                server={server}
              />
            ))}
          </div>
        </div>
      ))}
    </section>
  )
}
