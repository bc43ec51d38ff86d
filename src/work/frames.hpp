// Whole messages over a connection: the size, then the bytes.
#pragma once

#include <string>
#include <string_view>

namespace plumb::work {

// False: the other side is gone.
bool send_frame(int file, std::string_view message);

// Puts frames together from what arrives, without waiting for what has not.
class FrameReader {
 public:
  explicit FrameReader(int file) : file_(file) {}

  enum class State { kMore, kWhole, kGone };
  // Reads once, which waits only if there is nothing at all. kWhole: `message` has the next frame.
  State read(std::string& message);

 private:
  int file_;
  std::string bytes_;  // of the frame that is coming
};

// Waits for the next frame.
bool receive_frame(FrameReader& reader, std::string& message);

}  // namespace plumb::work
