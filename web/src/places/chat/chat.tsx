import { signal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import type { Fault } from '../../../../src/client.ts'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PlaceProps } from '../../app.tsx'
import { Button } from '../../parts/button.tsx'
import { AppContexts } from '../../parts/lazy-app.ts'
import { Empty, ErrorLine, faultText } from '../../parts/messages.tsx'
import { addresses, go } from '../../state/addresses.ts'
import { toFault, useAction } from '../../state/answers.ts'
import { draftOf } from '../../state/drafts.ts'
import { useKeys } from '../../state/keys.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { ConversationHead } from './conversation-head.tsx'
import { ConversationList } from './conversation-list.tsx'
import { followConversations } from './conversations.ts'
import { MessageBox } from './message-box.tsx'
import { serversOfNew } from './new-conversation.ts'
import { beginConversation, conversationOf } from './open-conversation.ts'
import type { OpenConversation, Outgoing } from './open-conversation.ts'
import { ModelNote, Pickers, useChoices } from './pickers.tsx'
import type { Choice } from './pickers.tsx'
import { ServerSwitches, switchesLabel } from './server-switches.tsx'
import { TranscriptView } from './transcript-view.tsx'
import '../../style/chat.css'

/** Conversations with a model that uses the servers. `/chat/new`, and `/chat` where there is room, begin one. */
export function Chat({ id }: PlaceProps) {
  useChoices()
  useEffect(followConversations, [])
  const isNew = id === undefined || id === 'new'
  return (
    <div class={`chat ${id === undefined ? 'is-list' : 'is-open'}`}>
      <ConversationList selected={id} />
      {isNew ? <NewConversation /> : <Conversation key={id} open={conversationOf(id)} />}
    </div>
  )
}

/** Where there is no room beside the transcript, the switches are a page of their own. */
const isSideOpen = signal(false)

function Conversation({ open }: { readonly open: OpenConversation }) {
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => open.follow(), [open])
  useBoxFocus(box, open.id)
  const stop = useAction(() => open.stop())
  const again = useAction((act: () => Promise<void>) => act())
  const { current } = open.transcript.value
  const isRunning = current?.isRunning === true
  useKeys({
    'Ctrl+.': { does: 'Stop the turn', run: () => void stop.run(), isOff: !isRunning },
    Escape: {
      does: 'Back to the conversation',
      run: () => (isSideOpen.value = false),
      isOff: !isSideOpen.value,
    },
  })
  if (open.problem.value?.code === 'store.unknown' && !open.row.value)
    return <UnknownConversation error={open.problem.value} />
  const goOn: Outgoing = { text: 'Go on.', images: [], resources: [] }
  const { agent, model } = open.row.value ?? {}
  return (
    <>
      <section class="chat-main" aria-label="Conversation">
        <ConversationHead open={open} />
        <ErrorLine error={open.problem.value} />
        {open.notes.value.map((note) => (
          <p key={note} class="chat-note">
            {note}
          </p>
        ))}
        <TranscriptView
          open={open}
          onTryAgain={({ prompt }) => prompt && void again.run(() => open.tryAgain(prompt))}
          onGoOn={() => void again.run(() => open.send(goOn))}
          onOtherModel={showModels}
        />
        <div class="chat-foot">
          <ErrorLine error={stop.error ?? again.error} />
          <SideChip label={switchesLabel(open.servers.value)} />
          {open.contexts.value.size > 0 && <AppContexts talk={open} />}
          <MessageBox
            name={open.id}
            isRunning={isRunning}
            box={box}
            onSend={(message) => open.send(message)}
            onStop={() => void stop.run()}
          />
        </div>
      </section>
      <Side>
        <ServerSwitches
          servers={open.servers.value}
          problems={open.switchProblems.value}
          onSwitch={(server, isOn) => void open.setServer(server, isOn)}
        />
        <Pickers chosen={{ agent, model }} onChange={(to) => void again.run(() => open.change(to))}>
          <ModelNote model={model} />
        </Pickers>
      </Side>
    </>
  )
}

function UnknownConversation({ error }: { readonly error: Fault }) {
  usePageTitle('Conversation', 'Chat')
  return (
    <section class="chat-main" aria-label="Conversation">
      <Empty title="Conversation" says={faultText(error)}>
        <Button to={addresses.conversation('new')}>New conversation</Button>
      </Empty>
    </section>
  )
}

function showModels(): void {
  isSideOpen.value = true
  requestAnimationFrame(() => document.querySelector<HTMLElement>('#chat-model')?.focus())
}

const noProblems = new Map<string, never>()

function NewConversation() {
  usePageTitle('New conversation', 'Chat')
  const box = useRef<HTMLTextAreaElement>(null)
  const [choice, setChoice] = useState<Choice>({})
  useBoxFocus(box, 'new')
  const begin = (): Promise<OpenConversation> => {
    const { agent, model } = choice
    return beginConversation({ ...(agent !== undefined && { agent }), ...(model !== undefined && { model }) })
  }
  const servers = serversOfNew.value
  const switching = useAction(async (server: string, isOn: boolean) => {
    const open = await begin()
    await open.setServer(server, isOn)
    go(addresses.conversation(open.id))
  })
  return (
    <>
      <section class="chat-main" aria-label="New conversation">
        <header class="chat-head">
          <a class="chat-back" href={addresses.chat}>
            ‹ Conversations
          </a>
          <h1>New conversation</h1>
        </header>
        <div class="chat-empty">
          <p>Ask for something that your servers can do.</p>
          <ModelNote model={choice.model} />
        </div>
        <div class="chat-foot">
          <ErrorLine error={switching.error} />
          <SideChip label={switchesLabel(servers)} />
          <MessageBox
            name="new"
            isRunning={false}
            box={box}
            onSend={async (message) => {
              const open = await begin()
              go(addresses.conversation(open.id))
              open.send(message).catch((error: unknown) => {
                draftOf(`chat:${open.id}`).value = message.text
                open.problem.value = toFault(error)
              })
            }}
            onStop={() => undefined}
          />
        </div>
      </section>
      <Side>
        <ServerSwitches
          servers={servers}
          problems={noProblems}
          onSwitch={(server, isOn) => void switching.run(server, isOn)}
        />
        <Pickers
          chosen={choice}
          onChange={({ agent, model }) =>
            setChoice({
              agent: agent === undefined ? choice.agent : (agent ?? undefined),
              model: model ?? choice.model,
            })
          }
        />
      </Side>
    </>
  )
}

/** One can type at once; on a touch screen the keyboard would cover the conversation. */
function useBoxFocus(box: RefObject<HTMLTextAreaElement>, name: string): void {
  useLayoutEffect(() => {
    if (matchMedia('(pointer: fine)').matches) box.current?.focus({ preventScroll: true })
  }, [name])
}

function SideChip({ label }: { readonly label: string }) {
  return (
    <Button class="chat-chip" onPress={() => (isSideOpen.value = true)} about="Servers, agent and model">
      {label}
    </Button>
  )
}

function Side({ children }: { readonly children: ComponentChildren }) {
  const isOpen = isSideOpen.value
  const side = useRef<HTMLElement>(null)
  useEffect(() => () => void (isSideOpen.value = false), [])
  useEffect(() => {
    if (isOpen) side.current?.focus()
  }, [isOpen])
  return (
    <aside
      ref={side}
      tabIndex={-1}
      class={`chat-side ${isOpen ? 'is-shown' : ''}`}
      aria-label="Servers, agent and model"
    >
      <Button
        class="chat-side-back"
        kind="plain"
        onPress={() => (isSideOpen.value = false)}
        about="Back to the conversation"
      >
        ‹ Conversation
      </Button>
      {children}
    </aside>
  )
}
