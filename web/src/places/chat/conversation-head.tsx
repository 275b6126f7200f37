import { Ellipsis } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { escapeLine } from '../../../../src/surfaces/terminal/escape.ts'
import { countText } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { addresses, go } from '../../state/addresses.ts'
import { useAction } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { draftOf } from '../../state/drafts.ts'
import { about } from '../../state/page-state.ts'
import { usePageTitle } from '../../state/page-title.ts'
import type { OpenConversation } from './open-conversation.ts'
import type { Turn } from './turn.ts'

/** Title, model and use of a conversation, and what can be done with all of it. */
export function ConversationHead({ open }: { readonly open: OpenConversation }) {
  const row = open.row.value
  const { turns, current } = open.transcript.value
  const title = row?.title || firstLine(turns[0] ?? current) || 'Untitled'
  usePageTitle(title, 'Chat')
  const [isRenaming, setIsRenaming] = useState(false)
  const undo = useAction(async () => {
    const prompt = await open.undo()
    const draft = draftOf(`chat:${open.id}`)
    if (prompt !== undefined && draft.value === '') draft.value = prompt
  })
  const isRunning = current?.isRunning === true
  const isEmpty = turns.length === 0 && !current
  return (
    <header class="chat-head">
      <a class="chat-back" href={addresses.chat}>
        ‹ Conversations
      </a>
      {isRenaming ? (
        <Rename open={open} title={row?.title ?? ''} onDone={() => setIsRenaming(false)} />
      ) : (
        <h1 class="cut">{title}</h1>
      )}
      <span class="dim small chat-use">{useOf(open)}</span>
      <span class="chat-actions">
        <Button
          action={undo}
          about="Removes the last turn, and puts its message back into the box."
          {...(isEmpty || isRunning
            ? { refused: isRunning ? 'The turn runs.' : 'There is nothing to undo.' }
            : {})}
        >
          Undo
        </Button>
        <ConversationMenu open={open} onRename={() => setIsRenaming(true)} />
      </span>
      <ErrorLine error={undo.error} />
    </header>
  )
}

/** Stands for the title until the conversation has one. */
function firstLine(turn: Turn | undefined): string {
  return escapeLine(turn?.prompt?.text.trim().split('\n')[0]?.slice(0, 80) ?? '')
}

function useOf({ row, usage }: OpenConversation): string {
  const used = usage.value
  const { model, agent, cwd, shownCwd } = row.value ?? {}
  const tokens = used && used.inputTokens + used.outputTokens > 0
  return [
    agent,
    model,
    tokens ? `${countText(used.inputTokens)} + ${countText(used.outputTokens)} tokens` : undefined,
    !used?.cost ? undefined : `$${used.cost.toFixed(4)}`,
    // Only where it is another folder than the one in the top bar.
    cwd === about.value?.cwd ? undefined : shownCwd,
  ]
    .filter(Boolean)
    .join(' · ')
}

function Rename({
  open,
  title,
  onDone,
}: {
  readonly open: OpenConversation
  readonly title: string
  readonly onDone: () => void
}) {
  const [text, setText] = useState(title)
  const rename = useAction(async () => {
    if (text.trim() !== '' && text !== title) await open.change({ title: text.trim() })
    onDone()
  })
  return (
    <form
      class="chat-rename"
      onSubmit={(event) => {
        event.preventDefault()
        void rename.run()
      }}
    >
      <input
        aria-label="Title"
        value={text}
        maxLength={200}
        ref={(input) => input?.focus()}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onDone()
        }}
      />
      <Button type="submit" kind="primary" action={rename}>
        Save
      </Button>
      <ErrorLine error={rename.error} />
    </form>
  )
}

/** Rename, export, delete; deleting needs a second click. */
function ConversationMenu({
  open,
  onRename,
}: {
  readonly open: OpenConversation
  readonly onRename: () => void
}) {
  const [isSure, setIsSure] = useState(false)
  const id = open.id.slice(0, 8)
  const toMarkdown = useAction(() => saveExport(open.id, 'markdown'))
  const toJson = useAction(() => saveExport(open.id, 'json'))
  const remove = useAction(async () => {
    await open.remove()
    go(addresses.chat)
  })
  return (
    <>
      <button
        type="button"
        class="icon-button"
        popovertarget="chat-menu"
        aria-label="More"
        title="Rename, export, delete"
      >
        <Ellipsis size={16} aria-hidden="true" />
      </button>
      <div
        id="chat-menu"
        class="chat-menu"
        popover="auto"
        role="group"
        aria-label="Conversation"
        onToggle={(event) => event.newState === 'closed' && setIsSure(false)}
      >
        <Button kind="plain" onPress={onRename} about="Changes the title.">
          Rename
        </Button>
        <Button kind="plain" action={toMarkdown} command={`plugboard conversations export ${id}`}>
          Export as Markdown
        </Button>
        <Button kind="plain" action={toJson} command={`plugboard conversations export ${id} --json`}>
          Export as JSON
        </Button>
        {isSure ? (
          <Button kind="danger" action={remove} command={`plugboard conversations delete ${id}`}>
            Delete it for ever
          </Button>
        ) : (
          <Button
            kind="plain"
            onPress={() => setIsSure(true)}
            command={`plugboard conversations delete ${id}`}
          >
            Delete…
          </Button>
        )}
        <ErrorLine error={toMarkdown.error ?? toJson.error ?? remove.error} />
      </div>
    </>
  )
}

async function saveExport(conversation: string, format: 'markdown' | 'json'): Promise<void> {
  const { name, text } = await send('GET /api/conversations/:conversation/export', {
    params: { conversation },
    query: { format },
  })
  saveFile(name, text)
}
