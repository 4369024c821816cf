package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// serve answers requests at an address as API Gateway would, with the function's
// timeout.
func (s *Stack) serve(ctx context.Context, address string, handler http.Handler, timeout time.Duration) error {
	if address == "" {
		address = "127.0.0.1:0"
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listening for bookmakers: %w", err)
	}
	limited := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		within, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		handler.ServeHTTP(w, r.WithContext(within))
	})
	s.api = &http.Server{Handler: limited, ReadHeaderTimeout: timeout}
	s.API = "http://" + listener.Addr().String()
	go func() {
		if err := s.api.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("the API has stopped", "error", err)
		}
	}()
	return nil
}

// stopAPI ends the API, when what is under way is answered.
func (s *Stack) stopAPI() {
	if s.api == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := s.api.Shutdown(ctx); err != nil {
		s.log.Warn("requests were cut off", "error", err)
	}
}
