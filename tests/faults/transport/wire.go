package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	window     = 65535
	frameBytes = 16384
	prefix     = 5
	writeLimit = 30 * time.Second
)

// event is a message of a stream, or its end.
type event struct {
	stream  uint32
	message []byte
	ended   bool
	words   string
}

// wire is one HTTP/2 connection. One goroutine reads it and answers what every peer must answer.
type wire struct {
	conn    net.Conn
	framer  *http2.Framer
	heard   chan event
	writing sync.Mutex
	block   bytes.Buffer
	encoder *hpack.Encoder
	next    uint32

	windows sync.Mutex
	opened  *sync.Cond
	whole   int64
	initial int64
	streams map[uint32]int64
	gone    bool
	deaf    atomic.Bool
}

// dial connects to the referee; settings are sent as they are.
func dial(settings ...http2.Setting) *wire {
	w := &wire{conn: connect(), heard: make(chan event, 4096), next: 1, whole: window, initial: window}
	w.framer = http2.NewFramer(w.conn, w.conn)
	w.framer.AllowIllegalWrites = true
	w.encoder = hpack.NewEncoder(&w.block)
	w.opened = sync.NewCond(&w.windows)
	w.streams = map[uint32]int64{}
	w.raw([]byte(http2.ClientPreface))
	w.write(func() error { return w.framer.WriteSettings(settings...) })
	go w.read()
	return w
}

func connect() net.Conn {
	address := os.Getenv("ARENA_ADDRESS")
	network := "tcp"
	if path, isPath := strings.CutPrefix(address, "unix://"); isPath {
		network, address = "unix", path
	}
	conn, err := net.Dial(network, address)
	if err != nil {
		say("%v", err)
		os.Exit(1)
	}
	return conn
}

// write lets one goroutine write; it returns whether the connection took it.
func (w *wire) write(work func() error) bool {
	w.writing.Lock()
	defer w.writing.Unlock()
	w.conn.SetWriteDeadline(time.Now().Add(writeLimit))
	return work() == nil
}

func (w *wire) raw(data []byte) bool {
	return w.write(func() error {
		_, err := w.conn.Write(data)
		return err
	})
}

// open begins a Play stream and returns its number; fields replace or extend the usual ones.
func (w *wire) open(token string, fields ...hpack.HeaderField) uint32 {
	stream := w.next
	w.next += 2
	w.windows.Lock()
	w.streams[stream] = w.initial
	w.windows.Unlock()
	w.write(func() error {
		return w.framer.WriteHeaders(http2.HeadersFrameParam{
			StreamID: stream, BlockFragment: w.headers(token, fields), EndHeaders: true,
		})
	})
	return stream
}

func (w *wire) headers(token string, fields []hpack.HeaderField) []byte {
	all := []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"},
		{Name: ":path", Value: "/arena.v1.ArenaService/Play"}, {Name: ":authority", Value: "localhost"},
		{Name: "te", Value: "trailers"}, {Name: "content-type", Value: "application/grpc"},
		{Name: "authorization", Value: "Bearer " + token},
	}
	w.block.Reset()
	for _, field := range all {
		for _, other := range fields {
			if other.Name == field.Name {
				field = other
			}
		}
		w.encoder.WriteField(field)
	}
	for _, field := range fields {
		if field.Name != "content-type" {
			w.encoder.WriteField(field)
		}
	}
	return bytes.Clone(w.block.Bytes())
}

// send sends one message within the windows.
func (w *wire) send(stream uint32, message []byte) bool {
	return w.data(stream, framed(0, len(message), message))
}

// framed puts the prefix of gRPC before bytes, whatever their length.
func framed(flag byte, length int, message []byte) []byte {
	head := append(make([]byte, 0, prefix+len(message)), flag)
	head = binary.BigEndian.AppendUint32(head, uint32(length))
	return append(head, message...)
}

// data sends bytes of a stream as the windows allow; it returns false once the stream is gone.
func (w *wire) data(stream uint32, bytes []byte) bool {
	for len(bytes) > 0 {
		size := w.take(stream, min(len(bytes), frameBytes))
		if size == 0 || !w.write(func() error { return w.framer.WriteData(stream, false, bytes[:size]) }) {
			return false
		}
		bytes = bytes[size:]
	}
	return true
}

// take waits until some bytes may be sent, at most so many; 0 means that the stream is gone.
func (w *wire) take(stream uint32, most int) int {
	w.windows.Lock()
	defer w.windows.Unlock()
	for {
		left, isOpen := w.streams[stream]
		if !isOpen || w.gone {
			return 0
		}
		if size := min(int64(most), left, w.whole); size > 0 {
			w.streams[stream] -= size
			w.whole -= size
			return int(size)
		}
		w.opened.Wait()
	}
}

func (w *wire) end(stream uint32, words string) {
	w.windows.Lock()
	_, was := w.streams[stream]
	delete(w.streams, stream)
	w.opened.Broadcast()
	w.windows.Unlock()
	if was {
		w.heard <- event{stream: stream, ended: true, words: words}
	}
}

// read takes frames until the connection ends.
func (w *wire) read() {
	inboxes := map[uint32][]byte{}
	decoder := hpack.NewDecoder(4096, nil)
	for !w.deaf.Load() {
		frame, err := w.framer.ReadFrame()
		if err != nil {
			w.lose(fmt.Sprintf("connection: %v", err))
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			w.settle(frame)
		case *http2.PingFrame:
			if !frame.IsAck() {
				w.write(func() error { return w.framer.WritePing(true, frame.Data) })
			}
		case *http2.WindowUpdateFrame:
			w.widen(frame.StreamID, int64(frame.Increment))
		case *http2.DataFrame:
			w.receive(frame, inboxes)
		case *http2.HeadersFrame:
			fields, _ := decoder.DecodeFull(frame.HeaderBlockFragment())
			if frame.StreamEnded() {
				w.end(frame.StreamID, fmt.Sprint(fields))
			}
		case *http2.RSTStreamFrame:
			w.end(frame.StreamID, frame.ErrCode.String())
		case *http2.GoAwayFrame:
			say("told to go away: %s %s", frame.ErrCode, frame.DebugData())
		}
	}
}

func (w *wire) receive(frame *http2.DataFrame, inboxes map[uint32][]byte) {
	stream, size := frame.StreamID, uint32(frame.Length)
	inbox := append(inboxes[stream], frame.Data()...)
	for len(inbox) >= prefix {
		length := prefix + int(binary.BigEndian.Uint32(inbox[1:]))
		if len(inbox) < length {
			break
		}
		w.heard <- event{stream: stream, message: bytes.Clone(inbox[prefix:length])}
		inbox = inbox[length:]
	}
	inboxes[stream] = inbox
	if size > 0 {
		w.write(func() error { return w.framer.WriteWindowUpdate(0, size) })
		w.write(func() error { return w.framer.WriteWindowUpdate(stream, size) })
	}
}

func (w *wire) settle(frame *http2.SettingsFrame) {
	if frame.IsAck() {
		return
	}
	if initial, isSet := frame.Value(http2.SettingInitialWindowSize); isSet {
		w.windows.Lock()
		for stream := range w.streams {
			w.streams[stream] += int64(initial) - w.initial
		}
		w.initial = int64(initial)
		w.opened.Broadcast()
		w.windows.Unlock()
	}
	w.write(func() error { return w.framer.WriteSettingsAck() })
}

func (w *wire) widen(stream uint32, by int64) {
	w.windows.Lock()
	defer w.windows.Unlock()
	if stream == 0 {
		w.whole += by
	} else if _, isOpen := w.streams[stream]; isOpen {
		w.streams[stream] += by
	}
	w.opened.Broadcast()
}

func (w *wire) lose(words string) {
	w.windows.Lock()
	w.gone = true
	streams := make([]uint32, 0, len(w.streams))
	for stream := range w.streams {
		streams = append(streams, stream)
	}
	w.windows.Unlock()
	for _, stream := range streams {
		w.end(stream, words)
	}
}
