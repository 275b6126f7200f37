import { Component } from 'preact'
import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { GrowingMarkdown, readMarkdown } from './markdown-nodes.ts'
import type { BlockNode, InlineNode } from './markdown-nodes.ts'

/** Markdown as elements. Text reaches the page as text nodes only; HTML stays text. */
export function Markdown({ text, isGrowing }: { readonly text: string; readonly isGrowing: boolean }) {
  const growing = useRef<GrowingMarkdown>()
  const blocks = useMemo(() => {
    if (!isGrowing) return readMarkdown(text)
    growing.current ??= new GrowingMarkdown()
    return growing.current.read(text)
  }, [text, isGrowing])
  return (
    <div class="chat-markdown">
      {blocks.map((block, at) => (
        <Block key={at} block={block} />
      ))}
    </div>
  )
}

/** Drawn again only if the block is another one: while an answer grows, the blocks before its end stay. */
class Block extends Component<{ readonly block: BlockNode }> {
  override shouldComponentUpdate(next: { readonly block: BlockNode }): boolean {
    return next.block !== this.props.block
  }

  override render(): ComponentChildren {
    return drawBlock(this.props.block)
  }
}

function drawBlocks(blocks: readonly BlockNode[]): ComponentChildren {
  return blocks.map((block, at) => <Block key={at} block={block} />)
}

function drawBlock(block: BlockNode): ComponentChildren {
  switch (block.kind) {
    case 'paragraph':
      return <p>{drawInline(block.children)}</p>
    case 'heading':
      // The headings of an answer stand below those of the page.
      return (
        <p class={`heading level-${block.level}`} role="heading" aria-level={Math.min(6, block.level + 2)}>
          {drawInline(block.children)}
        </p>
      )
    case 'rule':
      return <hr />
    case 'code':
      return (
        <figure class="code">
          {block.language !== '' && <figcaption>{block.language}</figcaption>}
          <pre tabIndex={0}>
            <code>{block.text}</code>
          </pre>
        </figure>
      )
    case 'quote':
      return <blockquote>{drawBlocks(block.blocks)}</blockquote>
    case 'list':
      return drawList(block)
    case 'table':
      return drawTable(block)
    case 'plain':
      return <p class="plain">{block.text}</p>
    default:
      return block satisfies never
  }
}

function drawList({ start, items }: Extract<BlockNode, { readonly kind: 'list' }>): JSX.Element {
  const rows = items.map(({ isChecked, blocks }, at) => (
    <li key={at} class={isChecked === undefined ? undefined : 'task'}>
      {isChecked !== undefined && (
        <code role="img" aria-label={isChecked ? 'done' : 'open'}>
          {isChecked ? '[x]' : '[ ]'}
        </code>
      )}
      {drawBlocks(blocks)}
    </li>
  ))
  return start === undefined ? <ul>{rows}</ul> : <ol start={start}>{rows}</ol>
}

function drawTable({ header, rows, align }: Extract<BlockNode, { readonly kind: 'table' }>): JSX.Element {
  const sideOf = (at: number) => (align[at] === 'right' ? 'right' : undefined)
  return (
    <div class="wide" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at} scope="col" class={sideOf(at)}>
                {drawInline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, at) => (
                <td key={at} class={sideOf(at)}>
                  {drawInline(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function drawInline(nodes: readonly InlineNode[]): ComponentChildren {
  return nodes.map(drawNode)
}

function drawNode(node: InlineNode): ComponentChildren {
  if (typeof node === 'string') return node
  switch (node.kind) {
    case 'strong':
      return <strong>{drawInline(node.children)}</strong>
    case 'em':
      return <em>{drawInline(node.children)}</em>
    case 'del':
      return <del>{drawInline(node.children)}</del>
    case 'code':
      return <code>{node.text}</code>
    case 'break':
      return <br />
    case 'link':
      return drawLink(node)
    case 'image':
      return drawImage(node)
    default:
      return node satisfies never
  }
}

/** The address stands beside the text, so that no text can hide where a link leads (T19). */
function drawLink({ children, href, address }: Extract<InlineNode, { readonly kind: 'link' }>) {
  const shown = address === undefined || address === '' ? undefined : <Address text={` (${address})`} />
  if (href === undefined)
    return (
      <>
        <bdi>{drawInline(children)}</bdi>
        {shown}
      </>
    )
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
      <bdi>{drawInline(children)}</bdi>
      {shown}
    </a>
  )
}

/** Apart from the text before it, whose direction must not turn it round. */
function Address({ text }: { readonly text: string }) {
  return (
    <bdi class="address" dir="ltr">
      {text}
    </bdi>
  )
}

function drawImage({ text, href, host }: Extract<InlineNode, { readonly kind: 'image' }>) {
  const what = text === '' ? 'image' : `image: ${text}`
  if (href === undefined) return <span class="dim">[{what}, not shown]</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
      <bdi>{what}</bdi>
      <Address text={` (at ${host === '' ? href : host})`} />
    </a>
  )
}
