package main

import (
	"bytes"
	"compress/gzip"
	"maps"
	"net"
	"os"
	"os/exec"
	"slices"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	vastBytes    = 64 << 20
	bombBytes    = 100 << 20
	shortBomb    = 50 << 20 // fits into a message that is not too long
	lieBytes     = 1000
	pings        = 10_000
	settings     = 100_000
	frames       = 100_000
	floodStreams = 1000
	resets       = 10_000
	fragments    = 10_000
	fragment     = 1000
	fewTokens    = 90
	wrongTokens  = 1000
	strays       = 20_000
	children     = 8
	openSockets  = 200
	bigMetadata  = 1 << 20
)

// zipped is very much of nothing, made before the play begins.
var zipped []byte

// dialling are the faults that replace the beginning of the stream.
var dialling = map[string]func(*bot){
	"content-type": func(b *bot) {
		b.stream = b.wire.open(token(), hpack.HeaderField{Name: "content-type", Value: "text/html"})
	},
	"deflate": func(b *bot) {
		b.stream = b.wire.open(token(), hpack.HeaderField{Name: "grpc-encoding", Value: "deflate"})
	},
	"bomb": func(b *bot) {
		zipped = zip(make([]byte, bombBytes))
		b.openZipped()
	},
	"short-bomb": func(b *bot) {
		zipped = zip(make([]byte, shortBomb))
		b.openZipped()
	},
	"compressed":  (*bot).openZipped,
	"zip-garbage": (*bot).openZipped,
	"zip-tail":    (*bot).openZipped,
	"tokens": func(b *bot) {
		b.guess(fewTokens)
		b.stream = b.wire.open(token())
	},
	"many-tokens": func(b *bot) {
		b.guess(wrongTokens)
		b.stream = b.wire.open(token())
	},
	"keep": func(*bot) { // what the children of "crowd" do
		keep(nil)
		time.Sleep(forEver)
	},
	"closed-window": func(b *bot) { // nothing can be sent to it, ever
		b.wire = dial(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		b.stream = b.wire.open(token())
	},
}

// faults happen instead of an answer, or before it: those that can play on send it last.
var faults = map[string]func(*bot, []byte){
	// Messages.
	"vast":       func(b *bot, _ []byte) { b.wire.send(b.stream, make([]byte, vastBytes)) },
	"bomb":       func(b *bot, _ []byte) { b.data(framed(1, len(zipped), zipped)) },
	"short-bomb": func(b *bot, _ []byte) { b.data(framed(1, len(zipped), zipped)) },
	"zip-tail": func(b *bot, answer []byte) {
		tail := append(zip(answer), "tail"...)
		b.data(framed(1, len(tail), tail))
	},
	"compressed":   func(b *bot, answer []byte) { b.data(framed(1, len(zip(answer)), zip(answer))) },
	"flag":         func(b *bot, answer []byte) { b.data(framed(1, len(answer), answer)) },
	"flags":        func(b *bot, answer []byte) { b.data(framed(0xFE, len(answer), answer)) },
	"zip-garbage":  func(b *bot, _ []byte) { b.data(framed(1, 12, []byte("\x1f\x8b no zip at"))) },
	"long-prefix":  func(b *bot, answer []byte) { b.data(framed(0, len(answer)+lieBytes, answer)) },
	"longest":      func(b *bot, answer []byte) { b.data(framed(0, 1<<32-1, answer)) },
	"cut-off":      cutOff,
	"short-prefix": func(b *bot, answer []byte) { b.data(framed(0, len(answer)-3, answer)) },
	"slow":         slow,
	"utf8":         func(b *bot, answer []byte) { b.message(bytes.ReplaceAll(answer, []byte("pass"), []byte("p\xff\xfes"))) },
	"trailing":     func(b *bot, answer []byte) { b.message(append(answer, "\xff\xff\xff"...)) },
	"loose":        func(b *bot, answer []byte) { b.message(answer); b.data([]byte{0, 0, 0}) },
	"empty":        func(b *bot, answer []byte) { b.message(nil); b.message(answer) },
	"strays":       func(b *bot, answer []byte) { b.message(bytes.Repeat([]byte{0x12, 0x00}, strays)); b.message(answer) },
	"empty-lists": func(b *bot, answer []byte) {
		for range strays {
			b.message(nil)
		}
		b.message(answer)
	},
	"deaf":         func(b *bot, _ []byte) { b.wire.deaf.Store(true); time.Sleep(forEver) },
	"byte-by-byte": byteByByte,
	"empty-frames": func(b *bot, answer []byte) {
		b.flood(frames, answer, func() error { return b.framer().WriteData(b.stream, false, nil) })
	},
	"padded-frames": func(b *bot, answer []byte) {
		b.flood(frames, answer, func() error { return b.framer().WriteDataPadded(b.stream, false, nil, nil) })
	},
	// Streams.
	"rst": func(b *bot, _ []byte) { b.reset(); time.Sleep(forEver) },
	"half-close": func(b *bot, _ []byte) {
		b.wire.write(func() error { return b.framer().WriteData(b.stream, true, nil) })
	},
	"answer-close":  answerAndClose,
	"trailers":      trailers,
	"second-stream": func(b *bot, answer []byte) { b.wire.open(token()); b.message(answer) },
	"second-dial":   func(b *bot, answer []byte) { dial().open(token()); b.message(answer) },
	"streams": func(b *bot, answer []byte) {
		for range floodStreams {
			b.wire.open("wrong")
		}
		b.message(answer)
	},
	"silent-streams": func(b *bot, answer []byte) {
		for range floodStreams {
			b.wire.open(token())
		}
		b.message(answer)
	},
	"rapid-reset": rapidReset,
	"old-stream":  func(b *bot, answer []byte) { b.wire.next = 1; b.wire.open(token()); b.message(answer) },
	// Frames.
	"ping-flood": func(b *bot, answer []byte) {
		b.flood(pings, answer, func() error { return b.framer().WritePing(false, [8]byte{}) })
	},
	"settings-flood": func(b *bot, answer []byte) {
		b.flood(settings, answer, func() error { return b.framer().WriteSettings() })
	},
	"priority-flood": func(b *bot, answer []byte) {
		b.flood(frames, answer, func() error { return b.framer().WritePriority(b.stream, http2.PriorityParam{Weight: 7}) })
	},
	"continuation": continuation,
	"big-metadata": bigMetadataOn,
	"unknown-frames": func(b *bot, answer []byte) {
		b.flood(frames, answer, func() error { return b.framer().WriteRawFrame(0xEE, 0xFF, b.stream, []byte("unknown")) })
	},
	"drown": func(b *bot, _ []byte) { // keeps the referee busy, wants the processor, and does nothing else
		go func() {
			for {
			}
		}()
		for b.wire.write(func() error { return b.framer().WriteRawFrame(0xEE, 0, b.stream, nil) }) {
		}
	},
	"goaway": func(b *bot, answer []byte) {
		b.wire.write(func() error { return b.framer().WriteGoAway(0, http2.ErrCodeNo, nil) })
		b.message(answer)
	},
	"goaway-error": func(b *bot, answer []byte) {
		b.wire.write(func() error { return b.framer().WriteGoAway(0, http2.ErrCodeInternal, nil) })
		b.message(answer)
	},
	"overrun": func(b *bot, answer []byte) {
		b.flood(frames, answer, func() error { return b.framer().WriteData(b.stream, false, make([]byte, frameBytes)) })
	},
	"window-overflow": func(b *bot, answer []byte) {
		b.flood(2, answer, func() error { return b.framer().WriteWindowUpdate(b.stream, 1<<31-1) })
	},
	"stream-zero": func(b *bot, answer []byte) {
		b.flood(1, answer, func() error { return b.framer().WriteData(0, false, answer) })
	},
	"noise": func(b *bot, _ []byte) { b.wire.raw(bytes.Repeat([]byte("GET / HTTP/1.1\r\n\r\n"), 1000)) },
	// Connections.
	"cut":           func(b *bot, _ []byte) { b.wire.conn.Close(); time.Sleep(forEver) },
	"sockets":       func(b *bot, answer []byte) { keep(nil); b.message(answer) },
	"mute-sockets":  func(b *bot, answer []byte) { keep([]byte(http2.ClientPreface)); b.message(answer) },
	"crowd":         crowd,
	"http1-sockets": func(b *bot, answer []byte) { keep([]byte("GET / HTTP/1.1\r\n\r\n")); b.message(answer) },
}

// openZipped begins the stream as one whose messages may be compressed.
func (b *bot) openZipped() {
	b.stream = b.wire.open(token(), hpack.HeaderField{Name: "grpc-encoding", Value: "gzip"})
}

// guess dials with wrong tokens, one after the other.
func (b *bot) guess(times int) {
	for range times {
		b.stream = b.wire.open("wrong")
		b.hello()
		for said := range b.wire.heard {
			if said.stream == b.stream && said.ended {
				break
			}
		}
	}
}

func names() []string {
	all := maps.Clone(faults)
	for name := range dialling {
		all[name] = nil
	}
	return slices.Sorted(maps.Keys(all))
}

func (b *bot) framer() *http2.Framer { return b.wire.framer }

func (b *bot) data(bytes []byte) { b.wire.data(b.stream, bytes) }

func (b *bot) message(message []byte) { b.wire.send(b.stream, message) }

// flood writes the same frame many times, without a look at any window, and then the answer.
func (b *bot) flood(count int, answer []byte, frame func() error) {
	for range count {
		if !b.wire.write(frame) {
			say("the flood broke off")
			return
		}
	}
	b.message(answer)
}

func (b *bot) reset() {
	b.wire.write(func() error { return b.framer().WriteRSTStream(b.stream, http2.ErrCodeCancel) })
}

func zip(data []byte) []byte {
	var zipped bytes.Buffer
	writer := gzip.NewWriter(&zipped)
	writer.Write(data)
	writer.Close()
	return zipped.Bytes()
}

// cutOff ends the stream in the middle of a message.
func cutOff(b *bot, answer []byte) {
	b.data(framed(0, len(answer)+lieBytes, answer))
	b.wire.write(func() error { return b.framer().WriteData(b.stream, true, nil) })
}

// slow sends one byte a second: no part of a message is an answer.
func slow(b *bot, answer []byte) {
	for _, sign := range framed(0, len(answer), answer) {
		b.data([]byte{sign})
		time.Sleep(time.Second)
	}
}

func byteByByte(b *bot, answer []byte) {
	for _, sign := range framed(0, len(answer), answer) {
		b.data([]byte{sign})
	}
}

// answerAndClose ends the stream with the frame of the answer.
func answerAndClose(b *bot, answer []byte) {
	b.wire.write(func() error { return b.framer().WriteData(b.stream, true, framed(0, len(answer), answer)) })
}

// trailers ends the stream as only a server may.
func trailers(b *bot, _ []byte) {
	b.wire.write(func() error {
		return b.framer().WriteHeaders(http2.HeadersFrameParam{
			StreamID: b.stream, BlockFragment: b.wire.headers(token(), nil), EndHeaders: true, EndStream: true,
		})
	})
}

func rapidReset(b *bot, answer []byte) {
	for range resets {
		stream := b.wire.open("wrong")
		b.wire.write(func() error { return b.framer().WriteRSTStream(stream, http2.ErrCodeCancel) })
	}
	b.message(answer)
}

// continuation sends metadata that never end.
func continuation(b *bot, answer []byte) {
	b.wire.write(func() error {
		return b.framer().WriteHeaders(http2.HeadersFrameParam{StreamID: b.wire.next, BlockFragment: b.wire.headers("wrong", nil)})
	})
	filler := bytes.Repeat([]byte{0x00, 0x01, 'x', 0x01, 'y'}, fragment/5)
	b.flood(fragments, answer, func() error { return b.framer().WriteContinuation(b.wire.next, false, filler) })
}

// bigMetadataOn opens another stream with a megabyte of metadata.
func bigMetadataOn(b *bot, answer []byte) {
	block := b.wire.headers("wrong", []hpack.HeaderField{{Name: "x", Value: string(bytes.Repeat([]byte("y"), bigMetadata))}})
	stream := b.wire.next
	b.wire.next += 2
	b.wire.write(func() error {
		return b.framer().WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block[:frameBytes]})
	})
	for rest := block[frameBytes:]; len(rest) > 0; {
		size := min(len(rest), frameBytes)
		b.wire.write(func() error { return b.framer().WriteContinuation(stream, size == len(rest), rest[:size]) })
		rest = rest[size:]
	}
	b.message(answer)
}

// keep opens connections, says a few bytes on each, and keeps them.
func keep(first []byte) {
	for range openSockets {
		conn := connect()
		conn.Write(first)
		kept = append(kept, conn)
	}
}

var kept []net.Conn

// crowd lets children keep as many connections as each of them may.
func crowd(b *bot, answer []byte) {
	for range children {
		child := exec.Command("/proc/self/exe", "--fault", "keep")
		child.Env = os.Environ()
		child.Start()
	}
	time.Sleep(time.Second)
	b.message(answer)
}
