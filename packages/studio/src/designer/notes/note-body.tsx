import { useMemo } from 'react'
import { type Block, type Inline, readMarkdown } from './markdown.ts'
import classes from './note.module.css'

/** A note as it is read. Everything in it reaches the page as text: nothing is ever taken as markup of the page. */
export function NoteBody({ text }: { readonly text: string }) {
  const blocks = useMemo(() => readMarkdown(text), [text])
  return (
    <div className={classes.body}>
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text is read anew as a whole
        <BlockPart key={index} block={block} />
      ))}
    </div>
  )
}

function BlockPart({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'heading':
      return (
        <p className={classes.heading} data-level={Math.min(block.level, 3)}>
          <Parts parts={block.parts} />
        </p>
      )
    case 'list': {
      const List = block.numbered ? 'ol' : 'ul'
      return (
        <List>
          {block.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the text is read anew as a whole
            <li key={index}>
              <Parts parts={item} />
            </li>
          ))}
        </List>
      )
    }
    case 'code':
      return <pre>{block.text}</pre>
    case 'rule':
      return <hr />
    default: {
      const Lines = block.kind === 'quote' ? 'blockquote' : 'p'
      return (
        <Lines>
          {block.lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the text is read anew as a whole
            <span key={index}>
              {index > 0 && <br />}
              <Parts parts={line} />
            </span>
          ))}
        </Lines>
      )
    }
  }
}

const tags = { strong: 'strong', emphasis: 'em', struck: 's' } as const

function Parts({ parts }: { readonly parts: readonly Inline[] }) {
  return parts.map((part, index) => {
    const key = `${index} ${part.kind}`
    if ('text' in part) return part.kind === 'code' ? <code key={key}>{part.text}</code> : part.text
    if (part.kind === 'link')
      return (
        <a
          key={key}
          className="nodrag"
          href={part.to}
          target="_blank"
          rel="noopener noreferrer nofollow"
          // Whoever follows a link does not want to write the note.
          onClick={(event) => event.stopPropagation()}
        >
          <Parts parts={part.parts} />
        </a>
      )
    const Tag = tags[part.kind]
    return (
      <Tag key={key}>
        <Parts parts={part.parts} />
      </Tag>
    )
  })
}
