import { Button } from '../../parts/button.tsx'
import { List } from '../../parts/list.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { addresses } from '../../state/addresses.ts'
import { conversations, listProblem, notKept } from './conversations.ts'

/** All conversations, the newest first, each with what it does now. */
export function ConversationList({ selected }: { readonly selected: string | undefined }) {
  const rows = conversations.value
  return (
    <aside class="chat-list" aria-label="Conversations">
      {selected === undefined && <h1 class="chat-list-title">Chat</h1>}
      <Button class="chat-new" kind="primary" to={addresses.conversation('new')} command="plugboard chat">
        New conversation
      </Button>
      <ErrorLine error={listProblem.value} />
      {notKept.value !== undefined && (
        <p class="small tone-warn">Conversations are not kept. {notKept.value}</p>
      )}
      {rows?.length === 0 && <p class="small dim">No conversation yet.</p>}
      {rows && rows.length > 0 && (
        <List
          label="Conversations"
          items={rows}
          keyOf={({ id }) => id}
          to={({ id }) => addresses.conversation(id)}
          current={selected}
        >
          {({ title, word, tone, shownCwd }) => (
            <span class="chat-row" title={shownCwd}>
              <span class="cut">{title || 'Untitled'}</span>
              {tone === 'dim' ? <span class="dim cut">{word}</span> : <StateMark state={{ tone, word }} />}
            </span>
          )}
        </List>
      )}
    </aside>
  )
}
