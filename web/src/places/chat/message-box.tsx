import { useLayoutEffect, useState } from 'preact/hooks'
import type { RefObject } from 'preact'
import type { Fault } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { toFault } from '../../state/answers.ts'
import { draftOf } from '../../state/drafts.ts'
import { readTrigger, replaceTrigger } from './compose.ts'
import type { Trigger } from './compose.ts'
import type { Outgoing, ResourceMention } from './open-conversation.ts'
import { PromptArguments } from './prompt-arguments.tsx'
import { fillPrompt, useOffers } from './offers.ts'
import type { Offer, OfferedPrompt } from './offers.ts'
import { SuggestionList, useSuggestions } from './suggestions.tsx'
import type { PromptImage } from './turn.ts'

interface MessageBoxProps {
  /** `new`, or the id of the conversation. */
  readonly name: string
  readonly isRunning: boolean
  readonly box: RefObject<HTMLTextAreaElement>
  readonly onSend: (message: Outgoing) => Promise<void>
  readonly onStop: () => void
}

const maxImageBytes = 5 * 1024 * 1024

/** Where a message is written. Its text is kept per conversation until it is sent. */
export function MessageBox({ name, isRunning, box, onSend, onStop }: MessageBoxProps) {
  const draft = draftOf(`chat:${name}`)
  const [resources, setResources] = useState<readonly ResourceMention[]>([])
  const [images, setImages] = useState<readonly PromptImage[]>([])
  const [trigger, setTrigger] = useState<Trigger>()
  const [prompt, setPrompt] = useState<OfferedPrompt>()
  const [isSending, setIsSending] = useState(false)
  const [problem, setProblem] = useState<Fault>()
  // Before it is painted: afterwards something may have been typed.
  useLayoutEffect(() => {
    setResources([])
    setImages([])
    setTrigger(undefined)
    setPrompt(undefined)
    setProblem(undefined)
  }, [name])

  const submit = async (): Promise<void> => {
    const text = draft.value.trim()
    if (text === '' || isSending || isRunning) return
    setIsSending(true)
    setProblem(undefined)
    draft.value = ''
    try {
      await onSend({ text, images, resources })
      setResources([])
      setImages([])
    } catch (error) {
      // Nothing that was typed is lost, nor what was typed meanwhile.
      draft.value = draft.value === '' ? text : `${text}\n${draft.value}`
      setProblem(toFault(error))
    }
    setIsSending(false)
  }
  const fail = (error: unknown): void => setProblem(toFault(error))
  const insert = (text: string): void => {
    draft.value = text
    setPrompt(undefined)
    box.current?.focus()
  }
  const choose = async (offer: Offer): Promise<void> => {
    if (!trigger) return
    const replaced = replaceTrigger(draft.value, trigger, '')
    draft.value = replaced.text
    setTrigger(undefined)
    if (offer.kind === 'resource') {
      const { server, uri } = offer
      setResources((before) => [...before.filter((each) => each.uri !== uri), { server, uri }])
    } else if (offer.prompt.arguments.length > 0) setPrompt(offer.prompt)
    else await fillPrompt(offer.prompt, {}).then(insert, fail)
  }
  const offers = useOffers(trigger?.sign)
  const suggestions = useSuggestions({ offers, trigger, onChoose: (offer) => void choose(offer) })
  const follow = ({ currentTarget }: { readonly currentTarget: HTMLTextAreaElement }): void =>
    setTrigger(readTrigger(currentTarget.value, currentTarget.selectionStart))

  const onKeyDown = (event: KeyboardEvent): void => {
    if (suggestions.onKeyDown(event)) return
    if (event.key === 'Escape' && trigger) {
      event.preventDefault()
      event.stopPropagation()
      setTrigger(undefined)
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      void submit()
    }
  }
  return (
    <div class="chat-message">
      {prompt && <PromptArguments prompt={prompt} onFilled={insert} onCancel={() => setPrompt(undefined)} />}
      <Attachments
        resources={resources}
        images={images}
        onDropResource={(uri) => setResources(resources.filter((each) => each.uri !== uri))}
        onDropImage={(at) => setImages(images.filter((_, index) => index !== at))}
      />
      <ErrorLine error={problem} />
      <div class="chat-field">
        {trigger && <SuggestionList {...suggestions} sign={trigger.sign} offers={offers} />}
        <textarea
          ref={box}
          id="message-text"
          aria-label="Message"
          aria-controls={trigger && 'message-offers'}
          aria-autocomplete="list"
          aria-activedescendant={suggestions.activeId}
          placeholder="Message — / for prompts, @ for resources"
          rows={2}
          value={draft.value}
          onInput={(event) => {
            draft.value = event.currentTarget.value
            follow(event)
          }}
          onClick={follow}
          onKeyUp={(event) => /^(?:Arrow(?:Left|Right)|Home|End)$/.test(event.key) && follow(event)}
          onBlur={() => setTrigger(undefined)}
          onKeyDown={onKeyDown}
          onPaste={(event) =>
            void pastedImages(event).then((found) => setImages((before) => [...before, ...found]), fail)
          }
        />
        <div class="chat-send">
          {isRunning ? (
            <Button onPress={onStop} keyName="Ctrl ." about="Stops the turn; what is there is kept.">
              Stop
            </Button>
          ) : (
            <Button
              kind="primary"
              keyName="Ctrl ⏎"
              command={`plugboard run MESSAGE${name === 'new' ? '' : ` --continue ${name.slice(0, 8)}`}`}
              {...(draft.value.trim() === '' && { refused: 'There is no message yet.' })}
              onPress={() => void submit()}
            >
              Send
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

async function pastedImages(event: ClipboardEvent): Promise<readonly PromptImage[]> {
  const files = [...(event.clipboardData?.files ?? [])].filter(({ type }) => type.startsWith('image/'))
  if (files.length > 0) event.preventDefault()
  return Promise.all(
    files.map(async (file) => {
      if (file.size > maxImageBytes)
        throw new Error(`The image is larger than ${maxImageBytes / 1024 / 1024} MB.`)
      const bytes = new Uint8Array(await file.arrayBuffer())
      const signs = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
      return { mediaType: file.type, data: btoa(signs) }
    }),
  )
}

function Attachments({
  resources,
  images,
  onDropResource,
  onDropImage,
}: {
  readonly resources: readonly ResourceMention[]
  readonly images: readonly PromptImage[]
  readonly onDropResource: (uri: string) => void
  readonly onDropImage: (at: number) => void
}) {
  if (resources.length + images.length === 0) return null
  return (
    <ul class="chat-attachments" aria-label="Attached">
      {resources.map(({ server, uri }) => (
        <li key={uri}>
          <span class="mono">
            {server} {uri}
          </span>
          <Button kind="plain" label={`Remove ${uri}`} onPress={() => onDropResource(uri)}>
            ×
          </Button>
        </li>
      ))}
      {images.map(({ mediaType }, at) => (
        <li key={at}>
          <span class="mono">{mediaType}</span>
          <Button kind="plain" label={`Remove image ${at + 1}`} onPress={() => onDropImage(at)}>
            ×
          </Button>
        </li>
      ))}
    </ul>
  )
}
